/** The messages of real cards: typed here for their provider alone, or on its own page. */
export const CARD_MESSAGES = {
  name: ["Nome completo", "Full name"],
  email: ["E-mail", "E-mail"],
  document: ["CPF ou CNPJ", "CPF or CNPJ"],
  document_help: [
    "De quem paga. O provedor do cartão o exige.",
    "Of the person or company that pays. The card's provider asks for it.",
  ],
  card_redirect: [
    "O cartão é digitado na página segura do provedor, nunca aqui.",
    "The card is typed on the provider's secure page, never here.",
  ],
  card_brands: [
    "Em mais de {n}x só com {brands}. Outras bandeiras pagam em até {n}x.",
    "More than {n} payments with {brands} only. Other brands take up to {n}.",
  ],
  card_help: ["Escolha as parcelas no próximo passo.", "Choose the installments in the next step."],
  card_details: ["Dados do cartão", "Card details"],
  card_typed: [
    "Os dados vão do seu navegador direto ao provedor do cartão. Esta loja não os recebe.",
    "The details go from your browser straight to the card's provider. This shop does not receive them.",
  ],
  card_number: ["Número do cartão", "Card number"],
  card_holder: ["Nome impresso no cartão", "Name on the card"],
  card_expiry: ["Validade (MM/AA)", "Expiry (MM/YY)"],
  card_cvv: ["Código de segurança", "Security code"],
  card_number_wrong: ["Confira o número do cartão.", "Check the card number."],
  card_holder_wrong: ["Digite o nome impresso no cartão.", "Enter the name on the card."],
  card_expiry_wrong: [
    "Confira a validade: mês e ano, como 07/30.",
    "Check the expiry: month and year, as 07/30.",
  ],
  card_expiry_past: ["Este cartão está vencido. Use outro.", "This card has expired. Use another one."],
  card_brands_taken: [
    "Aceitos: Visa, Mastercard, Elo, Hipercard e American Express.",
    "Accepted: Visa, Mastercard, Elo, Hipercard and American Express.",
  ],
  card_brand_seen: ["Cartão {brand}", "{brand} card"],
  card_cvv_wrong: ["O código tem três ou quatro dígitos.", "The code has three or four digits."],
  card_token_refused: [
    "O provedor não aceitou os dados do cartão. Confira e tente de novo.",
    "The provider did not accept the card's details. Check them and try again.",
  ],
  card_token_unreachable: [
    "O provedor do cartão não respondeu. Nada foi cobrado: tente de novo.",
    "The card's provider did not answer. Nothing was charged: try again.",
  ],
  card_needs_script: [
    "Este formulário de cartão precisa de JavaScript, que está desligado.",
    "This card form needs JavaScript, which is turned off.",
  ],
  card_pix_instead: [
    "Pix funciona sem ele: volte e escolha Pix.",
    "Pix works without it: go back and choose Pix.",
  ],
  redirect_title: ["Falta pagar com o cartão", "The card is still to be paid"],
  redirect_text: [
    "Pague na página segura do provedor. Depois volte a esta página: ela mostra o resultado.",
    "Pay on the provider's secure page. Then come back to this page: it shows the result.",
  ],
  redirect_go: ["Ir para a página do cartão", "Go to the card page"],
  redirect_preparing: [
    "A página do cartão está sendo preparada. O caminho aparece aqui assim que ela estiver pronta.",
    "The card page is being prepared. The way there appears here as soon as it is ready.",
  ],
  review_title: ["Pagamento em análise", "Payment under review"],
  review_text: [
    "O cartão está em análise, e isso pode levar alguns dias. Não pague de novo: {merchant} informará você do resultado.",
    "The card is under review, which may take some days. Do not pay again: {merchant} will inform you of the result.",
  ],
} as const;
