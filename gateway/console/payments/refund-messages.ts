import type { Message } from "../../pages/messages.ts";

/** Messages of money that goes back. */
export const refundMessages = {
  refunds: ["Devoluções", "Refunds"],
  refund: ["Devolução", "Refund"],
  refund_now: ["Devolver", "Refund"],
  refund_title: ["Devolver um pagamento", "Refund a payment"],
  refund_text: [
    "O valor volta para quem pagou, em reais. Sem valor digitado, volta tudo o que resta. Uma devolução feita não pode ser desfeita.",
    "The money goes back to the payer, in BRL. Without an amount, all that is left goes back. A refund that was made cannot be undone.",
  ],
  refund_amount: ["Valor em reais", "Amount in BRL"],
  refund_amount_help: ["Vazio: tudo o que resta.", "Empty: all that is left."],
  refund_refused: [
    "O valor é maior do que o que resta para devolver.",
    "The amount is more than is left to be given back.",
  ],
  refund_reason: ["Motivo", "Reason"],
  refund_reason_help: [
    "Opcional. O banco de quem pagou mostra este texto.",
    "Optional. The payer's bank shows this text.",
  ],
  refund_made: [
    "A devolução foi pedida. Veja abaixo em que pé ela está.",
    "The refund was requested. See below how it stands.",
  ],
  refund_kind: ["Por", "By"],
  refund_by_merchant: ["sua empresa", "your company"],
  refund_by_provider: ["provedor", "the provider"],
  refund_requested: ["pedida", "requested"],
  refund_processing: ["em andamento", "under way"],
  refund_succeeded: ["devolvida", "given back"],
  refund_failed: ["recusada", "failed"],
  refund_when: ["Quando", "When"],
  refunded_amount: ["Devolvido", "Refunded"],
} as const satisfies Readonly<Record<string, Message>>;
