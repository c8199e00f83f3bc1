import type { Message } from "../../pages/messages.ts";

/** Messages of the balance: what the merchant has, and how it came to be. */
export const balanceMessages = {
  balance: ["Saldo e recebimentos", "Balance and settlements"],
  balance_help: [
    "Tudo vem dos lançamentos contábeis, desde o primeiro pagamento: do que foi pago ao que é seu.",
    "All of it is from the ledger, since the first payment: from what was paid to what is yours.",
  ],
  balance_bridge: ["Do recebido ao que é seu, em {currency}", "From received to yours, in {currency}"],
  balance_received: ["Recebido de quem pagou", "Received from payers"],
  balance_fees: ["Tarifas", "Fees"],
  balance_tax: ["IOF", "IOF (tax on the conversion)"],
  balance_converted: ["Convertido para a outra moeda", "Converted to the other currency"],
  balance_returned: ["Devolvido", "Refunded"],
  balance_net: ["Líquido, o que é seu", "Net, what is yours"],
  balance_pending: ["A receber", "Pending"],
  balance_available: ["Disponível", "Available"],
  balance_early: [
    "Devolução de {amount} em dinheiro que ainda não estava disponível.",
    "Refund of {amount} in money that was not available yet.",
  ],
  balance_short: [
    "Voltaram {amount} a mais do que entrou: as tarifas não são devolvidas.",
    "{amount} more went back than came in: fees are not refunded.",
  ],
  balance_paid_out_help: [
    "No cartão, pelo provedor, à parte do líquido.",
    "Of cards, by their provider, apart from the net.",
  ],
  balance_at_providers: ["No provedor do cartão", "At the card provider"],
  balance_at_providers_help: [
    "É a conta do provedor com você, à parte do líquido acima: o que ele diz que ainda vai repassar e as tarifas dele.",
    "This is the provider's account with you, apart from the net above: what it is still to pay, and its own fees.",
  ],
  balance_due: ["A receber, pelo dia da liquidação", "Pending, by settlement day"],
  balance_due_help: [
    "No dia da liquidação, pelo seu prazo, o líquido passa a contar como disponível. O provedor do cartão repassa cada parcela no dia dela.",
    "On its settlement day, by your term, the net begins to count as available. The card provider pays each installment out on its own day.",
  ],
  balance_expected: [
    "Parcelas de cartão ainda a repassar, mês a mês",
    "Card installments still to be paid out, by month",
  ],
  balance_no_month: ["Sem dia informado", "No day named"],
  month: ["Mês", "Month"],
  installment_count: ["Parcelas", "Installments"],
  balance_settled: [
    "Liquidado e devolvido nos últimos {days} dias",
    "Settled and refunded in the last {days} days",
  ],
  balance_payouts: ["Repasses dos provedores de cartão", "Payouts of card providers"],
  balance_none: ["Nada por enquanto.", "Nothing yet."],
  paid_out: ["Repassado", "Paid out"],
} as const satisfies Readonly<Record<string, Message>>;
