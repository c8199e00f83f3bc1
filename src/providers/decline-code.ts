import { type DeclineCode as CodeEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
/** The reason of a failed payment in the contract. */
export type DeclineCode = WordOf<typeof CodeEnum>;

// ISO 8583 response codes of card issuers (also with ABECS' meanings), 3-D Secure results, and PIX reasons of ISO
// 20022.
const CODES: Readonly<Record<string, DeclineCode>> = {
  "04": "card_declined",
  "05": "card_declined",
  "07": "card_declined",
  "12": "card_not_supported",
  "14": "invalid_card",
  "41": "card_declined",
  "43": "card_declined",
  "51": "insufficient_funds",
  "54": "expired_card",
  "57": "card_not_supported",
  "58": "card_not_supported",
  "59": "card_declined",
  "61": "insufficient_funds",
  "62": "card_declined",
  "63": "card_declined",
  "65": "insufficient_funds",
  "82": "invalid_card",
  N7: "invalid_card",
  "1A": "authentication_failed",
  "3ds_n": "authentication_failed",
  "3ds_r": "authentication_failed",
  "3ds_u": "authentication_failed",
  "3ds_timeout": "authentication_failed",
  AB03: "pix_rejected",
  AC03: "pix_rejected",
  AM04: "insufficient_funds",
  BE01: "pix_rejected",
  RR04: "pix_rejected",
  removed: "pix_rejected",
  expired: "pix_expired",
};

/** Returns the code of a provider's reason, or payment_declined for an unknown one. */
export function declineCodeOf(reason: string): DeclineCode {
  return Object.hasOwn(CODES, reason) ? (CODES[reason] as DeclineCode) : "payment_declined";
}
