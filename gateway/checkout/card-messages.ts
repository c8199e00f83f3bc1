/** The messages of cards that are paid on a provider's own page. */
export const CARD_MESSAGES = {
  name: ["Nome completo", "Full name"],
  email: ["E-mail", "E-mail address"],
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
