import type { AuditContent, CallAudit } from "./audit-entry.ts";
import type { Change } from "./change.ts";
import type { Claim } from "./claim.ts";
import type { Committer } from "./commit.ts";
import { PaylinkError } from "./errors.ts";

/** The decision of a write: its response, the changes to write, and what its audit entry says of them. */
export interface Decision<Output> {
  readonly response: Output;
  readonly changes: readonly Change[];
  /** Absent: the decision changes nothing. */
  readonly audit?: AuditContent | undefined;
}

/** How often a decision is made again if others have changed the same rows meanwhile. */
export const OVERTAKEN_MAX = 20;

/**
 * Decides and writes with an audit entry, and decides again if others have changed the same rows. Error:
 * service_unavailable.
 */
export async function writeDecided<Output>(
  committer: Committer,
  audit: CallAudit | undefined,
  decide: () => Promise<Decision<Output>>,
): Promise<Output> {
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
    const decision = await decide();
    if ((await commitDecision(committer, audit, decision, null)) === "committed") return decision.response;
  }
  throw new PaylinkError("service_unavailable", "Too many requests change the same object.");
}

/** Throws Error if the decision changes something and does not say its audit entry, even if the call has none. */
export async function commitDecision(
  committer: Committer,
  audit: CallAudit | undefined,
  { changes, audit: content }: Pick<Decision<unknown>, "changes" | "audit">,
  claim: Claim | null,
): ReturnType<Committer["commit"]> {
  if (changes.length > 0 && !content) throw new Error("a change does not say its audit entry");
  const entry = changes.length > 0 && content ? audit?.entry(content) : undefined;
  return await committer.commit(changes, entry, claim);
}
