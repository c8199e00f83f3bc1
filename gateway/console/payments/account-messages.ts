import type { Message } from "../../pages/messages.ts";

/** Names of ledger accounts, as the merchant reads them. */
export const accountMessages = {
  account_provider_clearing: ["A receber do provedor", "Due from the provider"],
  account_merchant_payable: ["Seu, a liquidar", "Yours, to be settled"],
  account_merchant_available: ["Seu, liquidado", "Yours, settled"],
  account_revenue_service: ["Tarifa de serviço", "Service fee"],
  account_revenue_installment: ["Acréscimo do parcelamento", "Installment surcharge"],
  account_tax_payable_iof: ["IOF a recolher", "IOF to be paid over"],
  account_fx_position: ["Câmbio", "Exchange rate"],
  account_provider_receivable: ["Parcelas a receber do provedor", "Installments due from the provider"],
  account_provider_balance: ["Seu saldo no provedor", "Your balance at the provider"],
  account_provider_fee: ["Tarifa do provedor", "Provider's fee"],
  account_provider_fee_anticipation: ["Antecipação do provedor", "Provider's anticipation"],
} as const satisfies Readonly<Record<string, Message>>;
