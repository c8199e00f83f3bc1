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
  product: ["Produto", "Product"],
  payer: ["Pagador", "Payer"],
  end_to_end_id: ["ID do Pix no banco (end-to-end)", "Pix ID at the bank (end-to-end)"],
  paid_at: ["Pago em (São Paulo)", "Paid at (São Paulo)"],
  settles_on: ["Dia da liquidação", "Settlement day"],
});

export type MessageKey = Parameters<ReturnType<typeof messagesIn>>[0];
