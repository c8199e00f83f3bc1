import type { Message } from "../../pages/messages.ts";

/** Messages of money that goes back. */
export const refundMessages = {
  check: ["Pago, e não aparece? Perguntar ao banco", "Paid, and not shown? Ask the bank"],
  check_paid: ["O banco confirma: está pago.", "The bank confirms it: it is paid."],
  check_not_paid: [
    "O banco ou provedor do cartão não tem dinheiro deste pagamento. Peça o comprovante a quem pagou: o valor pode ter ido para outro lugar.",
    "The bank or card provider has no money of this payment. Ask the payer for the receipt: the money may have gone elsewhere.",
  ],
  check_in_progress: [
    "O provedor do cartão ainda não decidiu. Pergunte de novo mais tarde.",
    "The card provider has not decided yet. Ask again later.",
  ],
  check_not_accepted: [
    "Chegou dinheiro que não pôde virar este pagamento: tarde, outra vez ou no valor errado. Veja abaixo, e devolva.",
    "Money came in that could not become this payment: late, again or in the wrong amount. See below, and refund it.",
  ],
  check_unknown: [
    "O banco ou provedor do cartão não respondeu: nada de novo se sabe. Pergunte de novo em um minuto.",
    "The bank or card provider gave no answer, so nothing new is known. Ask again in a minute.",
  ],
  check_not_asked: [
    "Não há banco a quem perguntar: o pagamento é uma transferência (TED), ou foi simulado.",
    "There is no bank to ask: the payment is a bank transfer (TED), or was simulated.",
  ],
  refunds: ["Devoluções", "Refunds"],
  refunds_lead: [
    "Tudo o que voltou ou está para voltar a quem pagou: pedido por você, ou devolvido pelo provedor.",
    "All that went back to payers, or is about to: asked for by you, or returned by the provider.",
  ],
  refunds_none: ["Nada foi devolvido até agora.", "Nothing was refunded so far."],
  refund: ["Devolução", "Refund"],
  refund_now: ["Devolver", "Refund"],
  refund_now_of: ["Devolver {amount}", "Refund {amount}"],
  refund_left: ["Restam {left} para devolver.", "{left} is left to refund."],
  refund_kept_fee: [
    "A tarifa de {fee} não volta: ela fica por conta da sua empresa, também quando tudo é devolvido.",
    "The fee of {fee} does not come back: your company bears it, also when all is refunded.",
  ],
  refund_title: ["Devolver um pagamento", "Refund a payment"],
  refund_exception_title: ["Devolver um valor sem pagamento", "Refund money without a payment"],
  refund_text: [
    "O valor volta para quem pagou, em reais. Sem valor digitado, volta tudo o que resta. Uma devolução feita não pode ser desfeita.",
    "The money goes back to the payer, in reais. Without an amount, all that is left goes back. A refund that was made cannot be undone.",
  ],
  refund_amount: ["Valor em reais", "Amount in reais"],
  refund_amount_help: ["Vazio: tudo o que resta.", "Empty: all that is left."],
  refund_more_than_left: ["Restam {left} para devolver.", "{left} is left to refund."],
  refund_nothing_left: [
    "Não resta nada para devolver: tudo já foi devolvido ou está em andamento.",
    "Nothing is left to refund: all of it was refunded or is in progress.",
  ],
  refund_not_succeeded: [
    "Só se devolve um pagamento que foi pago.",
    "Only a payment that succeeded can be refunded.",
  ],
  refund_bank_transfer: [
    "Uma transferência (TED) não se devolve aqui: mande o valor de volta por transferência.",
    "A bank transfer (TED) is not refunded here: send the money back by a transfer.",
  ],
  refund_too_many: [
    "Este pagamento já tem muitas devoluções: devolva o resto no provedor.",
    "This payment has many refunds already: refund the rest at the provider.",
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
  refund_processing: ["em andamento", "in progress"],
  refund_succeeded: ["devolvida", "refunded"],
  refund_failed: ["recusada", "failed"],
  refund_failed_balance: [
    "recusada: o saldo da sua conta no provedor não basta",
    "failed: the balance of your account at the provider is too low",
  ],
  refund_reversed: ["voltou: chargeback ganho", "came back: chargeback won"],
  refund_when: ["Quando", "When"],
  refunded_amount: ["Devolvido", "Refunded"],
  refund_by_exception: ["sua empresa, de {id}", "your company, of {id}"],
  came_back: ["Voltou", "Came back"],
  went_back: ["Devolvido neste dia", "Refunded on this day"],
  went_back_help: [
    "O que saiu neste dia, como no extrato do banco, qualquer que seja o dia do pagamento. Não está descontado dos totais.",
    "What left on this day, as on the bank's statement, whatever the day of the payment. The totals do not subtract it.",
  ],
  went_back_apart: [
    "{amount} de valores sem pagamento, fora da conta acima",
    "{amount} of money without a payment, not in the sums above",
  ],
  went_back_exception: ["sua empresa, de valores sem pagamento", "your company, of money without a payment"],
  went_back_exception_return: [
    "provedor, de valores sem pagamento",
    "the provider, of money without a payment",
  ],
  tab_exceptions: ["Sem pagamento", "Without a payment"],
  tab_unknown: ["Sem cobrança", "Without a charge"],
  tab_overdue: ["Atrasados no cartão", "Overdue cards"],
  exceptions: ["Valores que não puderam virar pagamento", "Money that could not become a payment"],
  exceptions_lead: [
    "Dinheiro que chegou tarde, outra vez ou no valor errado. Ele não é de nenhum pagamento: devolva-o a quem pagou.",
    "Money that came late, again or in the wrong amount. It belongs to no payment: refund it to the payer.",
  ],
  exceptions_none: ["Nenhum até agora.", "None so far."],
  exception_late: ["chegou tarde", "came late"],
  exception_duplicate: ["chegou outra vez", "came again"],
  exception_wrong_amount: ["valor errado", "wrong amount"],
  exception_other: ["outro", "other"],
  exception_open: ["a devolver", "to refund"],
  exception_by_itself: ["volta sozinho em", "goes back by itself on"],
  exception_given_back: ["devolvido ou em andamento", "refunded or in progress"],
  came_in: ["Chegou", "Came in"],
  to_give_back: ["A devolver", "To refund"],
} as const satisfies Readonly<Record<string, Message>>;
