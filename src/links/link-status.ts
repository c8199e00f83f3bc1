import { hold, update, type Change } from "../platform/write/change.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { PaymentLink, type PaymentLinkRow, type PaymentLinkStatus } from "./entities.ts";
import { recordLinks, type LinkEventDeps } from "./link-events.ts";

/** Returns the link's status at `now`: past its time it is expired, even if that is not written yet. */
export function statusAt({ status, expiresAt }: PaymentLinkRow, now: Date): PaymentLinkStatus {
  return status === "active" && expiresAt && expiresAt <= now ? "expired" : status;
}

/** Error: invalid_request if the link accepts no payment at `now`. */
export function requireOpen(link: PaymentLinkRow, now: Date): void {
  const status = statusAt(link, now);
  if (status !== "active") throw invalidRequest(null, `The link is ${status} and accepts no payment.`);
}

/** Error: invalid_request if the link is completed or expired at `now`, and so stays as it is. */
export function requireChangeable(link: PaymentLinkRow, now: Date): void {
  const status = statusAt(link, now);
  if (status === "completed" || status === "expired") {
    throw invalidRequest(null, `The link is ${status} and can no longer be changed.`);
  }
}

/** Returns when a canceled link was canceled. */
export function canceledAt(link: Pick<PaymentLinkRow, "canceledAt" | "updatedAt">): Date | null {
  return link.canceledAt ?? link.updatedAt ?? null;
}

/**
 * Completes a single link by its first success, with its event, also if the link has expired or was canceled since the money
 * was paid. The commit fails if another was first.
 */
export function completeLink(deps: LinkEventDeps, mode: Mode, link: PaymentLinkRow, now: Date): Change[] {
  const { tenantId, id, status } = link;
  return [
    update(PaymentLink, { tenantId, id, status }, { status: "completed", updatedAt: now }),
    ...recordLinks(deps, { tenantId, mode }, "completed", [link]),
  ];
}

/** The commit fails if the link was cancelled or completed, has expired, or has another end, since it was read. */
export function lockLink({ tenantId, id, status, expiresAt = null }: PaymentLinkRow): Change {
  return hold(PaymentLink, { tenantId, id, status, expiresAt });
}
