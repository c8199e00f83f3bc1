import { html, type Html } from "../../pages/html.ts";
import { messages, type Message } from "../../pages/messages.ts";
import type { Guest } from "../visit.ts";

/** The reasons that providers of cards and of Pix give by these codes. */
const REASONS = {
  FRAUD: ["compra não reconhecida", "purchase not recognized"],
  ABSENT_CARD_FRAUD: ["fraude sem o cartão presente", "fraud without the card present"],
  OTHER_ABSENT_CARD_FRAUD: ["fraude sem o cartão presente", "fraud without the card present"],
  CARD_FRAUD: ["fraude com o cartão presente", "fraud with the card present"],
  COMMERCIAL_DISAGREEMENT: ["desacordo comercial", "commercial disagreement"],
  SERVICE_DISAGREEMENT_OR_DEFECTIVE_PRODUCT: [
    "com defeito ou diferente do anunciado",
    "defective or not as described",
  ],
  SERVICE_NOT_RECEIVED: ["compra não recebida", "purchase not received"],
  SALE_CANCELED: ["venda desfeita", "sale called off"],
  RECURRENCE_CANCELED: ["assinatura encerrada", "subscription ended"],
  DIFFERENT_PAY_METHOD: ["paga de outra forma", "paid in another way"],
  INCORRECT_TRANSACTION_VALUE: ["valor errado", "wrong amount"],
  LATE_PRESENTATION: ["cobrança apresentada tarde", "charge presented late"],
  PROCESS_ERROR: ["erro de processamento", "processing error"],
  REQUIRED_AUTHORIZATION_NOT_GRANTED: ["cobrança sem autorização", "charge without authorization"],
  PIX_INFRACTION: ["fraude relatada no Pix (MED)", "fraud reported on Pix (MED)"],
} as const satisfies Readonly<Record<string, Message>>;

const messagesIn = messages(REASONS);

/** Returns a dispute's reason in words, with the provider's code where a pointer rests, or the code if it is not known here. */
export function disputeReasonText({ language }: Guest, code: string): Html {
  if (!isKnown(code)) return html`<code>${code}</code>`;
  const text = messagesIn(language)(code);
  return html`<bdi class="cut" title="${text} (${code})">${text}</bdi>`;
}

function isKnown(code: string): code is keyof typeof REASONS {
  return Object.hasOwn(REASONS, code);
}
