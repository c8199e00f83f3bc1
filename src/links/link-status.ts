import { hold, update, type Change } from "../platform/change.ts";
import { invalidRequest } from "../platform/errors.ts";
import { PaymentLink, type PaymentLinkRow, type PaymentLinkStatus } from "./entities.ts";

/** Where the link stands at `now`: past its time it is expired, whether or not that was written down yet. */
export function statusAt({ status, expiresAt }: PaymentLinkRow, now: Date): PaymentLinkStatus {
  return status === "active" && expiresAt && expiresAt <= now ? "expired" : status;
}

/** Error: invalid_request when the link accepts no payment at `now`. */
export function requireOpen(link: PaymentLinkRow, now: Date): void {
  const status = statusAt(link, now);
  if (status !== "active") throw invalidRequest(null, `The link is ${status} and accepts no payment.`);
}

/** A single link is completed by its first success; the commit fails when another was first. */
export function completed({ tenantId, id }: PaymentLinkRow, now: Date): Change {
  return update(PaymentLink, { tenantId, id, status: "active" }, { status: "completed", updatedAt: now });
}

/** The commit fails when the link was cancelled, completed or has expired since it was read. */
export function unchanged({ tenantId, id, status }: PaymentLinkRow): Change {
  return hold(PaymentLink, { tenantId, id, status });
}
