import { invalidRequest } from "../platform/errors.ts";
import type { PaymentLinkRow, PaymentLinkStatus } from "./entities.ts";

/** Where the link stands at `now`: past its time it is expired, whether or not that was written down yet. */
export function statusAt({ status, expiresAt }: PaymentLinkRow, now: Date): PaymentLinkStatus {
  return status === "active" && expiresAt && expiresAt <= now ? "expired" : status;
}

/** Error: invalid_request when the link accepts no payment at `now`. */
export function requireOpen(link: PaymentLinkRow, now: Date): void {
  const status = statusAt(link, now);
  if (status !== "active") throw invalidRequest(null, `The link is ${status} and accepts no payment.`);
}
