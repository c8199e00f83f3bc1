import type { PayerPage } from "../../support/browser.ts";
import { FULL_PERSON, PAID_CARD } from "../pagarme-merchant.ts";

/** A card as a payer types it. */
const CARD = { number: PAID_CARD, holder: "ANA SOUZA", expiry: "12/39", cvv: "123" };

/** Says who pays, with all that an antifraud needs. */
export async function fillPerson({ page }: PayerPage): Promise<void> {
  const { name, email, document, phone, address } = FULL_PERSON;
  const { postalCode, street, number, district, city } = address;
  const texts = { name, email, document, phone, postal_code: postalCode, street, number, district, city };
  for (const [field, text] of Object.entries(texts)) await page.fill(`#${field}`, text);
  await page.selectOption("#state", address.state);
}

/** Types a card that is paid, but for the changes. */
export async function fillCard({ page }: PayerPage, changes: Partial<typeof CARD> = {}): Promise<void> {
  for (const [field, text] of Object.entries({ ...CARD, ...changes }))
    await page.fill(`#card_${field}`, text);
}
