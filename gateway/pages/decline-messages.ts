import type { Message } from "./messages.ts";

/** The messages of why a payment did not come about, by the contract's codes: payers and merchants read the same words. */
export const DECLINE_MESSAGES = {
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
} as const satisfies Readonly<Record<string, Message>>;
