/** The messages of what became of a payment, a session or a link. */
export const OUTCOME_MESSAGES = {
  paid_title: ["Pagamento confirmado", "Payment confirmed"],
  paid_text: ["Você pagou {amount} para {merchant}", "You paid {amount} to {merchant}"],
  payment_id: ["Comprovante", "Receipt"],
  failed_title: ["O pagamento não foi concluído", "The payment did not go through"],
  expired_title: ["O código expirou", "The code has expired"],
  expired_text: [
    "Nada foi cobrado. Gere um novo código para pagar.",
    "Nothing was charged. Get a new code to pay.",
  ],
  try_again: ["Tentar de novo", "Try again"],
  exception: [
    "Recebemos um valor que não pôde ser usado neste pagamento. A devolução foi proposta.",
    "We received an amount that could not be used for this payment. A refund was proposed.",
  ],
  completed_title: ["Este link já foi pago", "This link was paid already"],
  completed_text: ["Nada mais será cobrado por ele.", "Nothing more will be charged by it."],
  link_expired_title: ["Este link expirou", "This link has expired"],
  link_expired_text: ["Peça um novo link a quem enviou este.", "Ask whoever sent it for a new one."],
  canceled_title: ["Este link foi cancelado", "This link was cancelled"],
  canceled_text: ["Fale com quem enviou este link.", "Speak to whoever sent it."],
  unknown_title: ["Link não encontrado", "Link not found"],
  unknown_text: ["Confira o endereço ou peça um novo link.", "Check the address or ask for a new link."],
  session_over_title: ["O preço garantido terminou", "The held price has ended"],
  session_over_text: [
    "Nada foi cobrado. Veja os preços de agora para continuar.",
    "Nothing was charged. See the prices of now to go on.",
  ],
  new_prices: ["Ver os preços de agora", "See the prices of now"],
  total_changed: [
    "O total confirmado não é o total garantido. Nada foi cobrado: confira e confirme de novo.",
    "The confirmed total is not the held total. Nothing was charged: check and confirm again.",
  ],
  total_unconfirmed: [
    "Confirme que está ciente da taxa e do total.",
    "Confirm that you are aware of the fee and the total.",
  ],
  in_progress: [
    "Outro pagamento deste link está em andamento. Aguarde e atualize a página.",
    "Another payment of this link is under way. Wait and reload the page.",
  ],
  not_connected: [
    "Este link ainda não pode ser pago: quem vende ainda não ligou a sua conta de um banco.",
    "This link cannot be paid yet: the seller has not connected an account at a bank.",
  ],
  not_offered: [
    "Esta forma de pagamento não está disponível agora.",
    "This way to pay is not available now.",
  ],
  rate_missing: [
    "Não há câmbio disponível agora. Tente mais tarde.",
    "No exchange rate is available now. Try again later.",
  ],
  card_refused_for_good: [
    "O banco emissor recusou este cartão de vez. Use outro cartão.",
    "The card's issuer has refused this card for good. Use another card.",
  ],
  method_busy: [
    "Muitas pessoas estão pagando assim agora. Nada foi cobrado. Tente de novo em alguns minutos ou escolha outra forma de pagamento.",
    "Many people are paying in this way now. Nothing was charged. Try again in a few minutes, or choose another way to pay.",
  ],
  busy_title: ["Muitos pedidos por enquanto", "Too many requests for now"],
  busy_text: [
    "Houve pedidos demais de preço ou pagamento desta rede ou para este link. Este pedido não cobrou nada. Tente de novo em {seconds} segundos.",
    "Prices or payments were asked for too often from this network or for this link. This request charged nothing. Try again in {seconds} seconds.",
  ],
  wrong_title: ["Algo deu errado do nosso lado", "Something went wrong on our side"],
  wrong_text: [
    "Se você já confirmou um pagamento, não pague de novo: recarregue esta página em instantes.",
    "If you have confirmed a payment, do not pay again: reload this page in a moment.",
  ],
  form_refused: [
    "Este formulário não pôde ser lido. Volte e tente de novo.",
    "This form could not be read. Go back and try again.",
  ],
  insufficient_funds: ["Saldo ou limite insuficiente.", "Insufficient funds or limit."],
  card_declined: ["O emissor recusou o cartão.", "The issuer declined the card."],
  expired_card: ["O cartão está vencido.", "The card has expired."],
  invalid_card: ["Os dados do cartão são inválidos.", "The card's data is invalid."],
  card_not_supported: ["Este cartão não é aceito.", "This card is not supported."],
  authentication_failed: [
    "A autenticação do cartão não foi concluída.",
    "The card's authentication was not completed.",
  ],
  pix_expired: ["O código Pix expirou.", "The Pix code expired."],
  pix_rejected: ["O banco recusou o Pix.", "The bank rejected the Pix."],
  payment_declined: ["O pagamento foi recusado.", "The payment was declined."],
  no_charge: ["Nada foi cobrado.", "Nothing was charged."],
} as const;
