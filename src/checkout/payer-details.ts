import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { type CollectWord } from "../links/entities.ts";
import type { PayerDetails } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { holdsCardNumber, phoneHoldsCardNumber, typedCardNumber } from "../platform/card-number.ts";

/** A payer's details, as they are stored. */
export interface Payer {
  readonly phone?: string;
  readonly address?: Readonly<Record<AddressField, string>>;
}

type AddressField = "postal_code" | "street" | "number" | "complement" | "district" | "city" | "state";

const STATES = new Set(
  "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" "),
);
const REQUIRED = ["street", "number", "district", "city"] as const;
const CONTROL = /\p{Cc}/u;

/**
 * Reads only the details that the link asks for; returns null if it asks for none. Error: invalid_request on phone or
 * on a field of the address.
 */
export function readPayer(
  collected: readonly CollectWord[],
  details: PayerDetails | undefined,
): Payer | null {
  if (collected.length === 0) return null;
  return {
    ...(collected.includes("phone") ? { phone: readPhone(details?.phone ?? "") } : {}),
    ...(collected.includes("address") ? { address: readAddress(details?.address) } : {}),
  };
}

/** Checks all details sent, including those the link does not ask for. Error: card_number_refused. */
export function refuseCardNumbers(details: PayerDetails | undefined): void {
  if (phoneHoldsCardNumber(details?.phone ?? "")) throw cardNumber("phone");
  const { postalCode, street, number, complement, district, city, state } = details?.address ?? {};
  const fields = { postal_code: postalCode, street, number, complement, district, city, state };
  for (const [field, value] of Object.entries(fields)) {
    if (typedCardNumber(value ?? "")) throw cardNumber(field);
  }
  // A reader of the row sees the parts in adjacent fields as one number.
  if (holdsCardNumber(Object.values(fields).join(" "))) throw cardNumber("street");
}

function readPhone(text: string): string {
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
