import type * as PhoneNumbers from "libphonenumber-js/max";
import { createRequire } from "node:module";
import { visibleText, withoutMarks } from "../../contract/visible-text.ts";
import type { PayerDetails } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { invalidRequest, PaylinkError, readAll } from "../platform/rpc/errors.ts";
import type { PayerAddress, PayerField } from "../providers/ports.ts";
import type { AskedDetails } from "./asked-details.ts";
import { isEmailAddress } from "../platform/text/email-address.ts";
import { readTaxId } from "../platform/text/tax-id.ts";
import { holdsCardNumber } from "../../contract/card-number.ts";

/** A payer's details, as they are stored. */
export interface Payer {
  readonly name?: string;
  readonly email?: string;
  /** CPF or CNPJ: digits, and capital letters in a CNPJ. */
  readonly document?: string;
  readonly phone?: string;
  readonly address?: PayerAddress;
}

/** What a charge keeps of its payer. */
export interface KeptPayer extends Payer {
  /** The name that the payer's bank gave with the money. */
  readonly bankName?: string;
}

const require = createRequire(import.meta.url);
const STATES = new Set(
  "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" "),
);
const REQUIRED = ["street", "number", "district", "city"] as const;
const CONTROL = /\p{Cc}/u;

/**
 * Reads only the details that are asked for; returns null if nothing is asked for or given. An optional one may be empty.
 * Without `details`, those that the session's earlier attempts gave are used, if they have all that is required. Error:
 * invalid_request on each wrong field.
 */
export function readPayer(
  { required, optional }: AskedDetails,
  details: PayerDetails | undefined,
  given: Payer = {},
): Payer | null {
  const isGiven = (field: PayerField): boolean => given[field] !== undefined;
  if (details === undefined && required.every(isGiven)) {
    return payerOf([...required, ...optional].filter(isGiven).map((field) => [field, given[field]]));
  }
  const readers = {
    name: () => readName(details?.name ?? ""),
    email: () => readEmail(details?.email ?? ""),
    document: () => readDocument(details?.document ?? ""),
    phone: () => readPhone(details?.phone ?? ""),
    address: () => readAddress(details?.address),
  };
  const asked = [...required, ...optional.filter((field) => isTyped(details, field))];
  const read = readAll<Payer>(Object.fromEntries(asked.map((field) => [field, readers[field]])));
  return payerOf(Object.entries(read));
}

function payerOf(entries: readonly (readonly [string, unknown])[]): Payer | null {
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Payer);
}

function isTyped(details: PayerDetails | undefined, field: PayerField): boolean {
  const typed = details?.[field];
  return typeof typed === "string" ? visibleText(typed) !== "" : typed !== undefined;
}

/** Checks all details sent, including those the link does not ask for. Error: card_number_refused on each field. */
export function refuseCardNumbers(details: PayerDetails | undefined): void {
  const { name = "", email = "", document = "", phone = "" } = details ?? {};
  const { postalCode, street, number, complement, district, city, state } = details?.address ?? {};
  const address = { postal_code: postalCode, street, number, complement, district, city, state };
  const typed = Object.entries({ phone, name, email, document, ...address });
  const [first, ...others] = typed
    .filter(([, text = ""]) => holdsCardNumber(visibleText(text)))
    .map(([field]) => field);
  if (first !== undefined) throw cardNumber(first, others);
  // A reader of the row sees the parts in adjacent fields as one number.
  const parts = Object.values(address).map((text = "") => visibleText(text));
  if (holdsCardNumber(parts.join(" "))) throw cardNumber("street");
}

function readName(given: string): string {
  const name = visibleText(given);
  if (name === "" || CONTROL.test(name))
    throw invalidRequest("name", "name is a person's or company's full name.");
  return name;
}

function readEmail(given: string): string {
  const email = visibleText(given);
  if (!isEmailAddress(email)) throw invalidRequest("email", "email is not an e-mail address.");
  return email;
}

function readDocument(given: string): string {
  const document = readTaxId(given);
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
    postal_code: withoutMarks(given?.postalCode ?? ""),
    street: visibleText(given?.street ?? ""),
    number: visibleText(given?.number ?? ""),
    complement: visibleText(given?.complement ?? ""),
    district: visibleText(given?.district ?? ""),
    city: visibleText(given?.city ?? ""),
    state: visibleText(given?.state ?? "").toUpperCase(),
  };
  const check = (field: keyof PayerAddress): string => {
    const text = address[field];
    if (CONTROL.test(text)) throw invalidRequest(field, `${field} holds a control character.`);
    if (field === "postal_code" && !/^\d{8}$/.test(text))
      throw invalidRequest(field, "postal_code has 8 digits.");
    if (field === "state" && !STATES.has(text))
      throw invalidRequest(field, "state is not a state of Brazil.");
    if (isRequired(field) && text === "") throw invalidRequest(field, `${field} is required.`);
    return text;
  };
  return readAll<PayerAddress>({
    postal_code: () => check("postal_code"),
    street: () => check("street"),
    number: () => check("number"),
    complement: () => check("complement"),
    district: () => check("district"),
    city: () => check("city"),
    state: () => check("state"),
  });
}

function isRequired(field: keyof PayerAddress): boolean {
  return REQUIRED.some((one) => one === field);
}

/** Returns the error for a card number, which must never be accepted. */
export function cardNumber(param: string, alsoIn: readonly string[] = []): PaylinkError {
  const others = alsoIn.map((field) => cardNumber(field));
  return new PaylinkError("card_number_refused", "Card numbers are not taken here.", param, { others });
}
