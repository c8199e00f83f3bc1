import type { Message } from "../../pages/messages.ts";

/** Names of ledger accounts, as the merchant reads them. */
export const accountMessages = {
  account_provider_clearing: ["A receber do provedor", "Due from the provider"],
  account_merchant_payable: ["Seu, a liquidar", "Yours, to be settled"],
  account_merchant_available: ["Seu, liquidado", "Yours, settled"],
  account_revenue_service: ["Tarifa de serviço", "Service fee"],
  account_revenue_installment: ["Acréscimo do parcelamento", "Installment surcharge"],
  account_tax_payable_iof: ["IOF a recolher", "IOF to be paid over"],
  account_fx_position: ["Câmbio", "Currency exchange"],
} as const satisfies Readonly<Record<string, Message>>;
