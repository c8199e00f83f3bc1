import { messages } from "../../pages/messages.ts";

/** The titles of the columns of files for people. */
export const messagesIn = messages({
  id: ["Pagamento", "Payment"],
  created: ["Início (São Paulo)", "Started (São Paulo)"],
  status: ["Situação", "Status"],
  reference: ["Referência", "Reference"],
  method: ["Forma", "Method"],
  installments: ["Parcelas", "Installments"],
  gross: ["Bruto", "Gross"],
  gross_currency: ["Moeda do bruto", "Gross currency"],
  fee: ["Tarifas", "Fees"],
  fee_currency: ["Moeda das tarifas", "Fee currency"],
  net: ["Líquido", "Net"],
  net_currency: ["Moeda do líquido", "Net currency"],
  refunded: ["Devolvido", "Refunded"],
  link: ["Link", "Link"],
});

export type MessageKey = Parameters<ReturnType<typeof messagesIn>>[0];
