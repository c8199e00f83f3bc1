import type { Message } from "../../pages/messages.ts";

/** Messages of what card providers owe, and of contests of card holders. */
export const receivableMessages = {
  receivables: ["No provedor do cartão", "At the card provider"],
  receivables_caption: [
    "Do que o provedor deve ao que falta receber",
    "From what the provider owes to what is still to come",
  ],
  receivables_help: [
    "É a conta do provedor com você, à parte do preço: o que o pagador viu e o seu líquido não mudam por ela.",
    "This is the provider's account with you, apart from the price: what the payer saw and your net do not change by it.",
  ],
  receivables_day_help: [
    "O que os provedores disseram neste dia, qualquer que seja o dia do pagamento. Fica à parte dos totais: o devido é exatamente a soma das outras colunas.",
    "What providers said on this day, whatever the day of the payment. It is apart from the totals: what is owed is exactly the sum of the other columns.",
  ],
  receivables_installments: ["Parcela por parcela", "Installment by installment"],
  line_receivable: ["Devido pelo provedor", "Owed by the provider"],
  line_provider_fee: ["Tarifa do provedor", "Provider's fee"],
  line_anticipation: ["Antecipação", "Anticipation"],
  line_chargeback: ["Contestado (chargeback)", "Contested (chargeback)"],
  line_refund_deduction: ["Devolvido pelo provedor", "Refunded by the provider"],
  line_payout: ["No seu saldo no provedor", "In your balance at the provider"],
  line_outstanding: ["A receber", "Still to come"],
  installment: ["Parcela", "Installment"],
  expected_on: ["Previsto para", "Expected on"],
  paid_out_on: ["Recebido em", "Received on"],
  entry_receivable: ["A receber do provedor", "Owed by the provider"],
  entry_provider_fee: ["Tarifa do provedor", "Provider's fee"],
  entry_anticipation: ["Antecipação", "Anticipation"],
  entry_payout: ["Recebido no provedor", "Paid out by the provider"],
  entry_chargeback: ["Contestação", "Chargeback"],
  entry_refund_deduction: ["Devolução pelo provedor", "Refund by the provider"],
  disputes: ["Contestações", "Disputes"],
  disputes_lead: [
    "Quem tem o cartão contestou a compra no banco. Envie os documentos da venda no site do provedor até o prazo; sem eles, o valor volta a quem contestou.",
    "A card holder contests the purchase at their bank. Send the documents of the sale on the provider's site by the deadline; without them the money goes back to the card holder.",
  ],
  disputes_none: ["Nenhuma contestação.", "No disputes."],
  dispute: ["Contestação", "Dispute"],
  respond_by: ["Responder até", "Respond by"],
  opened_on: ["Aberta em", "Opened on"],
  dispute_reason: ["Motivo do provedor", "Provider's reason"],
  dispute_needs_response: ["espera a sua resposta", "needs your response"],
  dispute_under_review: ["em análise", "under review"],
  dispute_won: ["ganha", "won"],
  dispute_lost: ["perdida", "lost"],
} as const satisfies Readonly<Record<string, Message>>;
