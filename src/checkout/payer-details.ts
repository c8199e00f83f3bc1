import type * as PhoneNumbers from "libphonenumber-js/max";
import { createRequire } from "node:module";
import { type CollectWord } from "../links/entities.ts";
import type { PayerDetails } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import type { PayerAddress, PayerField } from "../providers/ports.ts";
import { readTaxId } from "../platform/tax-id.ts";
import { holdsCardNumber, phoneHoldsCardNumber, typedCardNumber } from "../platform/card-number.ts";

/** A payer's details, as they are stored. */
export interface Payer {
  readonly name?: string;
  readonly email?: string;
  /** CPF or CNPJ: digits, and capital letters in a CNPJ. */
  readonly document?: string;
  readonly phone?: string;
  readonly address?: PayerAddress;
}

const require = createRequire(import.meta.url);
const STATES = new Set(
  "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" "),
);
// In the order in which they are stored.
const FIELDS = ["name", "email", "document", "phone", "address"] as const satisfies readonly PayerField[];
const REQUIRED = ["street", "number", "district", "city"] as const;
const CONTROL = /\p{Cc}/u;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u;

/**
 * Reads only the details that the link or an account asks for; returns null if neither does. Without `details`, those that
 * the session's earlier attempts gave are used, if they are all that is asked for. Error: invalid_request on the field.
 */
export function readPayer(
  collected: readonly CollectWord[],
  needed: readonly PayerField[],
  details: PayerDetails | undefined,
  given: Payer = {},
): Payer | null {
  const asked = FIELDS.filter((field) => [...collected, ...needed].includes(field));
  if (asked.length === 0) return null;
  if (details === undefined && asked.every((field) => given[field] !== undefined)) {
    return Object.fromEntries(asked.map((field) => [field, given[field]]));
  }
  return {
    ...(asked.includes("name") ? { name: readName(details?.name) } : {}),
    ...(asked.includes("email") ? { email: readEmail(details?.email) } : {}),
    ...(asked.includes("document") ? { document: readDocument(details?.document) } : {}),
    ...(asked.includes("phone") ? { phone: readPhone(details?.phone ?? "") } : {}),
    ...(asked.includes("address") ? { address: readAddress(details?.address) } : {}),
  };
}

/** Checks all details sent, including those the link does not ask for. Error: card_number_refused. */
export function refuseCardNumbers(details: PayerDetails | undefined): void {
  if (phoneHoldsCardNumber(details?.phone ?? "")) throw cardNumber("phone");
  const { name = "", email = "", document = "" } = details ?? {};
  if (typedCardNumber(name)) throw cardNumber("name");
  if (typedCardNumber(email)) throw cardNumber("email");
  // A CNPJ has as many digits as some cards.
  if (readTaxId(document) === null && typedCardNumber(document)) throw cardNumber("document");
  const { postalCode, street, number, complement, district, city, state } = details?.address ?? {};
  const fields = { postal_code: postalCode, street, number, complement, district, city, state };
  for (const [field, value] of Object.entries(fields)) {
    if (typedCardNumber(value ?? "")) throw cardNumber(field);
  }
  // A reader of the row sees the parts in adjacent fields as one number.
  if (holdsCardNumber(Object.values(fields).join(" "))) throw cardNumber("street");
}

function readName(given: string | undefined): string {
  const name = tidy(given);
  if (name === "" || CONTROL.test(name))
    throw invalidRequest("name", "name is a person's or company's full name.");
  return name;
}

function readEmail(given: string | undefined): string {
  const email = tidy(given);
  if (!EMAIL.test(email)) throw invalidRequest("email", "email is not an e-mail address.");
  return email;
}

function readDocument(given: string | undefined): string {
  const document = readTaxId(given ?? "");
  if (document === null) throw invalidRequest("document", "document is no CPF or CNPJ: a digit is wrong.");
  return document;
}

function readPhone(text: string): string {
  // The plans of all countries are loaded at the first number, so that a start does not wait for them.
  const { parsePhoneNumberFromString } = require("libphonenumber-js/max") as typeof PhoneNumbers;
  const phone = parsePhoneNumberFromString(text, "BR");
  if (!phone?.isValid()) throw invalidRequest("phone", "phone is not a telephone number.");
  return phone.number;
}

function readAddress(given: PayerDetails["address"]): NonNullable<Payer["address"]> {
  const address = {
    postal_code: (given?.postalCode ?? "").replaceAll(/[.\s-]/g, ""),
    street: tidy(given?.street),
    number: tidy(given?.number),
    complement: tidy(given?.complement),
    district: tidy(given?.district),
    city: tidy(given?.city),
    state: tidy(given?.state).toUpperCase(),
  };
  for (const [field, value] of Object.entries(address)) {
    if (CONTROL.test(value)) throw invalidRequest(field, `${field} holds a control character.`);
  }
  if (!/^\d{8}$/.test(address.postal_code)) throw invalidRequest("postal_code", "postal_code has 8 digits.");
  for (const field of REQUIRED)
    if (address[field] === "") throw invalidRequest(field, `${field} is required.`);
  if (!STATES.has(address.state)) throw invalidRequest("state", "state is not a state of Brazil.");
  return address;
}

function tidy(text: string | undefined): string {
  return (text ?? "").trim();
}

/** Returns the error for a card number, which must never be accepted. */
export function cardNumber(param: string): PaylinkError {
  return new PaylinkError("card_number_refused", "Card numbers are not taken here.", param);
}
