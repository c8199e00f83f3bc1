/** What the accounts of the books are, to the merchant. */
export const accountPortuguese = {
  account_provider_clearing: "A receber do provedor",
  account_merchant_payable: "Seu, a liquidar",
  account_merchant_available: "Seu, liquidado",
  account_revenue_service: "Tarifa de serviço",
  account_revenue_installment: "Acréscimo do parcelamento",
  account_tax_payable_iof: "IOF a recolher",
  account_fx_position: "Câmbio",
} as const;

export const accountEnglish: Readonly<Record<keyof typeof accountPortuguese, string>> = {
  account_provider_clearing: "Due from the provider",
  account_merchant_payable: "Yours, to be settled",
  account_merchant_available: "Yours, settled",
  account_revenue_service: "Service fee",
  account_revenue_installment: "Installment surcharge",
  account_tax_payable_iof: "IOF to be paid over",
  account_fx_position: "Currency exchange",
};
