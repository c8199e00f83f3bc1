import type { Message } from "../../pages/messages.ts";

/** Messages of what happened to a payment and its money. */
export const timelineMessages = {
  timeline: ["O que aconteceu", "What happened"],
  step_opened: ["Página aberta por quem ia pagar", "Page opened by the payer"],
  step_started: ["Pagamento iniciado", "Payment started"],
  step_paid: ["Pago", "Paid"],
  step_failed: ["Recusado", "Declined"],
  step_expired: ["Expirou sem pagamento", "Expired unpaid"],
  step_settled: ["Liquidado: disponível para você", "Settled: available to you"],
  step_settles: ["Liquidação prevista", "Settlement expected"],
  step_duplicate: ["Recebido outra vez", "Received again"],
  step_late: ["Dinheiro que chegou depois", "Money that came later"],
  step_wrong_amount: ["Recebido no valor errado", "Received in the wrong amount"],
  step_apart: ["Recebido à parte do pagamento", "Received apart from the payment"],
  step_installments: ["Parcelas previstas", "Installments expected"],
  days_between: ["{first} a {last}", "{first} to {last}"],
  step_refund: ["Devolução", "Refund"],
  step_returned: ["Devolvido pelo provedor", "Returned by the provider"],
  step_came_back: ["Voltou para você: chargeback ganho", "Came back to you: chargeback won"],
  paid_at: ["Pago em", "Paid at"],
  end_to_end_id: ["ID do Pix no banco (end-to-end)", "Pix ID at the bank (end-to-end)"],
  not_paid: ["Cobrado de quem ia pagar", "Asked of the payer"],
} as const satisfies Readonly<Record<string, Message>>;
