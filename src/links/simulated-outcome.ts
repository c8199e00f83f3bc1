import { wordsOf, type WordOf } from "../../contract/enum-words.ts";
import { DeclineCode } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  SimulatedAftermath,
  SimulatedOutcome,
  type SimulatePaymentRequest,
} from "../../gen/paylink/links/v1/links_pb.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import { fromMethodEnum } from "../pricing/mapping.ts";
import type { Aftermath } from "../providers/directory.ts";

type Code = WordOf<typeof DeclineCode>;

const codes = wordsOf(DeclineCode);
const aftermaths = wordsOf(SimulatedAftermath);

/** What a payment by each method can be declined for. The first one is that of a request without a code. */
export const DECLINE_CODES: Readonly<Record<"pix" | "card", readonly [Code, ...Code[]]>> = {
  pix: ["pix_rejected", "insufficient_funds", "payment_declined"],
  card: [
    "card_declined",
    "insufficient_funds",
    "expired_card",
    "invalid_card",
    "card_not_supported",
    "authentication_failed",
    "payment_declined",
  ],
};

/** Returns the method of a simulated payment: PIX if the request has none. */
export function methodOf({ paymentMethod }: SimulatePaymentRequest): PaymentMethod {
  return paymentMethod === undefined ? "pix" : fromMethodEnum(paymentMethod);
}

/** Requires a decline code that the outcome and the method can have. Error: invalid_request on decline_code. */
export function checkDeclineCode(request: SimulatePaymentRequest): void {
  const { declineCode, outcome } = request;
  if (declineCode === undefined) return;
  const code = codes.knownWordOf(declineCode);
  if (code === "pix_expired") {
    throw invalidRequest("decline_code", 'A Pix code that expired is the outcome "expired".');
  }
  if (outcome !== SimulatedOutcome.FAILED) {
    throw invalidRequest("decline_code", 'Only the outcome "failed" has a decline code.');
  }
  const method = methodOf(request);
  const possible = codesOf(method);
  if (possible.includes(code)) return;
  throw invalidRequest("decline_code", `By ${method} the decline code is one of: ${possible.join(", ")}.`);
}

/**
 * Requires that the outcome and the method can have what is to happen afterwards: a Pix payment has no dispute, and what was
 * returned does not come again. Error: invalid_request on afterwards.
 */
export function checkAftermath(request: SimulatePaymentRequest): void {
  const aftermath = aftermathOf(request);
  if (aftermath === undefined) return;
  if (request.outcome !== SimulatedOutcome.SUCCEEDED) {
    throw invalidRequest("afterwards", 'Only the outcome "succeeded" has something happen afterwards.');
  }
  if (methodOf(request) === "card" || aftermath === "returned") return;
  throw invalidRequest("afterwards", `"${aftermath}" happens to payments by card alone.`);
}

/** Returns what is to happen to the money of the payment; undefined: nothing. */
export function aftermathOf({ afterwards }: SimulatePaymentRequest): Aftermath | undefined {
  return aftermaths.wordOf(afterwards);
}

/** Returns the status and failure code that the request asks for, after `checkDeclineCode`. */
export function outcomeOf(request: SimulatePaymentRequest): Pick<PaymentRow, "status" | "failureCode"> {
  const { outcome, declineCode } = request;
  if (outcome === SimulatedOutcome.SUCCEEDED) return { status: "succeeded", failureCode: null };
  if (outcome === SimulatedOutcome.EXPIRED) return { status: "expired", failureCode: null };
  return { status: "failed", failureCode: codes.wordOf(declineCode) ?? codesOf(methodOf(request))[0] };
}

function codesOf(method: PaymentMethod): readonly [Code, ...Code[]] {
  return method === "card" ? DECLINE_CODES.card : DECLINE_CODES.pix;
}
