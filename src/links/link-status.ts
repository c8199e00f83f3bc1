import { hold, update, type Change } from "../platform/write/change.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { utcText } from "../platform/time/timestamps.ts";
import { PaymentLink, type PaymentLinkRow, type PaymentLinkStatus } from "./entities.ts";
import { recordLinks, type LinkEventDeps } from "./link-events.ts";

/** Returns the link's status at `now`: past its time it is expired, even if that is not written yet. */
export function statusAt({ status, expiresAt }: PaymentLinkRow, now: Date): PaymentLinkStatus {
  return status === "active" && expiresAt && expiresAt <= now ? "expired" : status;
}

const NEXT_STEPS = {
  completed: "make a new one, with campaign if it is to take several payments",
  expired: "make a new one",
  canceled: "reactivate it, or make a new one",
} as const;

/** Returns why a link accepts no payment at `now`, since when, and what to do; undefined if it accepts one. */
export function closedText(link: PaymentLinkRow, now: Date): string | undefined {
  const status = statusAt(link, now);
  if (status === "active") return undefined;
  return `The link ${endText(link, status)} and accepts no payment: ${NEXT_STEPS[status]}.`;
}

/** Error: invalid_request if the link accepts no payment at `now`. */
export function requireOpen(link: PaymentLinkRow, now: Date): void {
  const text = closedText(link, now);
  if (text !== undefined) throw invalidRequest(null, text);
}

/** Error: invalid_request if the link is completed or expired at `now`, and so stays as it is. */
export function requireChangeable(link: PaymentLinkRow, now: Date): void {
  const status = statusAt(link, now);
  if (status === "completed" || status === "expired") {
    const end = endText(link, status);
    throw invalidRequest(null, `The link ${end} and can no longer be changed: ${NEXT_STEPS[status]}.`);
  }
}

function endText(link: PaymentLinkRow, status: Exclude<PaymentLinkStatus, "active">): string {
  const { expiresAt, updatedAt } = link;
  const times = { completed: updatedAt, expired: expiresAt, canceled: canceledAt(link) };
  const time = times[status];
  return `${status === "expired" ? "" : "was "}${status}${time ? ` at ${utcText(time)}` : ""}`;
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
