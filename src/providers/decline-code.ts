import { ABECS, ABECS_OF_BRAND } from "./abecs-codes.ts";
import type { Decline, Meaning, Meanings } from "./decline.ts";

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

/** The codes that are no provider's own, but for ABECS's. */
const SHARED: Readonly<Record<string, Meanings>> = { own: OWN, pix: PIX };

/**
 * Returns what a decline means; payment_declined if its code is not known. `codes`: those of its source, if that is a
 * provider with codes of its own.
 */
export function meaningBy({ source, brand, code }: Decline, codes: Meanings | undefined): Meaning {
  if (source !== "abecs") return meaningIn(codes ?? SHARED[source] ?? {}, code) ?? UNKNOWN;
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
