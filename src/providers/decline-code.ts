import { ABECS, ABECS_OF_BRAND } from "./abecs-codes.ts";
import type { Decline, Meaning } from "./decline.ts";

type Meanings = Readonly<Record<string, Meaning>>;

const UNKNOWN: Meaning = { code: "payment_declined", isReversible: true };
const AUTHENTICATION: Meaning = { code: "authentication_failed", isReversible: true };
const PIX_REJECTED: Meaning = { code: "pix_rejected", isReversible: true };

// The codes of a bank that rejects a PIX payment, by ISO 20022.
const PIX: Meanings = {
  AB03: PIX_REJECTED,
  AC03: PIX_REJECTED,
  AM04: { code: "insufficient_funds", isReversible: true },
  BE01: PIX_REJECTED,
  RR04: PIX_REJECTED,
};

// What the service itself says.
const OWN: Meanings = {
  "3ds_timeout": AUTHENTICATION,
  removed: PIX_REJECTED,
  expired: { code: "pix_expired", isReversible: true },
  // A provider reviewed a card's charge, and withdrew it.
  risk_refused: { code: "card_declined", isReversible: true },
};

// The reasons of the test tokens. Merchants' tests rely on them, so they stay as they are.
const SANDBOX: Meanings = {
  "05": { code: "card_declined", isReversible: true },
  "14": { code: "invalid_card", isReversible: false },
  "51": { code: "insufficient_funds", isReversible: true },
  "54": { code: "expired_card", isReversible: false },
  "57": { code: "card_not_supported", isReversible: false },
  "3ds_n": AUTHENTICATION,
};

// What is not an issuer's code: its antifraud's, or a failure on the way to the issuer.
const PAGARME: Meanings = { antifraud_reproved: { code: "card_declined", isReversible: true } };

const OF_SOURCE: Readonly<Record<Exclude<Decline["source"], "abecs">, Meanings>> = {
  own: OWN,
  pix: PIX,
  sandbox: SANDBOX,
  pagarme: PAGARME,
};

/** Returns what a decline means; payment_declined if its code is not known. */
export function meaningOf({ source, brand, code }: Decline): Meaning {
  if (source !== "abecs") return meaningIn(OF_SOURCE[source], code) ?? UNKNOWN;
  const name = abecsCode(code);
  const ofBrand = brand === null ? undefined : ABECS_OF_BRAND[brand];
  // American Express has codes of its own, of three digits.
  const shared = brand === "amex" ? {} : ABECS;
  return meaningIn(ofBrand ?? {}, name) ?? meaningIn(shared, name) ?? UNKNOWN;
}

/** Returns a decline by the service itself. */
export function ownDecline(code: string): Decline {
  return { source: "own", brand: null, code };
}

function meaningIn(meanings: Meanings, code: string): Meaning | undefined {
  return Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}

/** Returns a code as the tables have it: some gateways leave out the leading zero. */
function abecsCode(code: string): string {
  return code.trim().toUpperCase().padStart(2, "0");
}
