import { DECLINE_MESSAGES } from "../pages/decline-messages.ts";

/** The messages of what became of a payment, a session or a link. */
export const OUTCOME_MESSAGES = {
  ...DECLINE_MESSAGES,
  paid_title: ["Pagamento confirmado", "Payment confirmed"],
  paid_text: ["Você pagou {amount} para {merchant}", "You paid {amount} to {merchant}"],
  receipt: ["Comprovante de pagamento", "Payment receipt"],
  paid_at: ["Data", "Date"],
  paid_by: ["Forma de pagamento", "Payment method"],
  paid_to: ["Recebedor", "Paid to"],
  payment_id: ["ID do pagamento", "Payment ID"],
  end_to_end_id: ["ID da transação Pix", "Pix end-to-end ID"],
  receipt_kept: [
    "Este comprovante fica no endereço desta página: guarde-o ou compartilhe-o.",
    "This receipt stays at this page's address: keep it or share it.",
  ],
  receipt_mail: ["Receber por e-mail", "Get it by e-mail"],
  receipt_mail_help: [
    "Usamos o endereço só para enviar este comprovante, e não o guardamos.",
    "The address is used to send this receipt alone, and is not kept.",
  ],
  receipt_mail_send: ["Enviar comprovante", "Send the receipt"],
  receipt_mail_sent: [
    "O comprovante está a caminho do seu e-mail.",
    "The receipt is on its way to your e-mail.",
  ],
  receipt_mail_full: [
    "Este comprovante já foi enviado três vezes e não é enviado de novo. Compartilhe ou imprima.",
    "This receipt was sent three times and is not sent again. Share or print it.",
  ],
  success_back: ["Voltar para {host}", "Back to {host}"],
  receipt_rate: ["Câmbio", "Exchange rate"],
  receipt_rate_value: ["US$ 1 = {rate}", "US$1 = {rate}"],
  receipt_card: ["Cartão", "Card"],
  receipt_card_ending: ["{brand} final {digits}", "{brand} ending in {digits}"],
  receipt_print: ["Imprimir ou salvar em PDF", "Print or save as PDF"],
  receipt_share: ["Compartilhar", "Share"],
  receipt_copied: ["Endereço copiado", "Address copied"],
  pay_again: ["Fazer outro pagamento", "Make another payment"],
  failed_title: ["O pagamento não foi concluído", "The payment did not go through"],
  expired_title: ["O código expirou", "The code has expired"],
  expired_text: [
    "Nada foi cobrado. Gere um novo código para pagar.",
    "Nothing was charged. Get a new code to pay.",
  ],
  new_code: ["Gerar novo código · {amount}", "Get a new code · {amount}"],
  other_card: ["Usar outro cartão", "Use another card"],
  pix_instead: ["Pagar com Pix · {amount}", "Pay by Pix · {amount}"],
  try_again: ["Tentar de novo", "Try again"],
  came_twice_title: ["Recebemos o seu pagamento duas vezes", "We received your payment twice"],
  came_after_another_title: ["Este link já tinha sido pago", "This link had already been paid"],
  came_after_another: [
    "O seu dinheiro chegou depois de outro pagamento.",
    "Your money came after another payment.",
  ],
  came_unusable_title: ["O seu dinheiro não pôde ser usado", "Your money could not be used"],
  came_unusable: [
    "Recebemos um valor que não pôde ser usado neste pagamento.",
    "We received an amount that could not be used for this payment.",
  ],
  back_by_seller: [
    "Quem vende foi avisado e deve devolver {amount} a você.",
    "The seller was notified and has to return {amount} to you.",
  ],
  back_on_its_way: ["{amount} está voltando para você.", "{amount} is on its way back to you."],
  back_done: ["{amount} já voltou para você.", "{amount} has gone back to you."],
  completed_title: ["Este link já foi pago", "This link has already been paid"],
  completed_text: ["Nada mais será cobrado por ele.", "Nothing more will be charged by it."],
  link_expired_title: ["Este link expirou", "This link has expired"],
  link_expired_text: ["Peça um novo link a quem enviou este.", "Ask the sender for a new one."],
  canceled_title: ["Este link foi desativado", "This link was deactivated"],
  canceled_text: ["Fale com quem enviou este link.", "Contact the sender."],
  code_void: [
    "Não pague mais o código Pix que você recebeu aqui. Se já pagou, volte a esta página: ela diz o que foi feito do seu dinheiro.",
    "Do not pay the Pix code that you got here. If you have paid it, come back to this page: it says what became of your money.",
  ],
  unknown_title: ["Link não encontrado", "Link not found"],
  unknown_text: ["Confira o endereço ou peça um novo link.", "Check the address or ask for a new link."],
  session_over_title: ["O preço garantido terminou", "The held price has ended"],
  session_over_text: [
    "Nada foi cobrado. Veja os preços atuais para continuar.",
    "Nothing was charged. See the current prices to go on.",
  ],
  new_prices: ["Ver os preços atuais", "See the current prices"],
  total_changed: [
    "O total confirmado não é o total garantido. Nada foi cobrado: confira e confirme de novo.",
    "The confirmed total is not the held total. Nothing was charged: check and confirm again.",
  ],
  total_unconfirmed: [
    "Confirme que está ciente da tarifa e do total.",
    "Confirm that you are aware of the fee and the total.",
  ],
  in_progress: [
    "Outro pagamento deste link está em andamento. Aguarde e atualize a página.",
    "Another payment of this link is in progress. Wait and reload the page.",
  ],
  not_connected: [
    "Este link ainda não pode ser pago: quem vende ainda não ligou a sua conta de um banco.",
    "This link cannot be paid yet: the seller has not connected an account at a bank.",
  ],
  not_offered: [
    "Esta forma de pagamento não está disponível agora.",
    "This payment method is not available now.",
  ],
  rate_missing: [
    "Não há câmbio disponível agora. Tente mais tarde.",
    "No exchange rate is available now. Try again later.",
  ],
  card_refused_for_good: [
    "O banco emissor recusou este cartão de vez. Use outro cartão.",
    "The card's issuer has refused this card for good. Use another card.",
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
  pix_refused: [
    "O banco de quem vende não aceitou gerar este Pix. Escolha outra forma ou tente de novo.",
    "The seller's bank did not accept to make this Pix code. Choose another method or try again.",
  ],
  try_later: [
    "O provedor de quem vende não aceita mais pedidos por enquanto. Tente de novo a partir de {time}, ou escolha outra forma.",
    "The seller's provider takes no more requests for now. Try again from {time}, or choose another method.",
  ],
  asked_later: [
    "O provedor de quem vende não aceita mais pedidos por enquanto. Ele é consultado de novo em {time}, e esta página mostra como continuar. Você também pode escolher outra forma.",
    "The seller's provider takes no more requests for now. It is asked again at {time}, and this page shows how to go on. You can also choose another method.",
  ],
  no_charge: ["Nada foi cobrado.", "Nothing was charged."],
} as const;
