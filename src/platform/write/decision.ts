import type { AuditContent, CallAudit } from "../rpc/audit-entry.ts";
import type { Change } from "./change.ts";
import type { Claim } from "./claim.ts";
import type { Committer } from "./commit.ts";
import { again } from "./conflict-retry.ts";

const DEADLOCK = "40P01";

/** The decision of a write: its response, the changes to write, and what its audit entry says of them. */
export interface Decision<Output> {
  readonly response: Output;
  readonly changes: readonly Change[];
  /** Absent: the decision changes nothing. */
  readonly audit?: AuditContent | undefined;
}

/**
 * Decides and writes with an audit entry. Returns undefined if others have changed the same rows meanwhile: nothing is
 * written then.
 */
export async function tryToWrite<Output>(
  committer: Committer,
  audit: CallAudit | undefined,
  decide: () => Promise<Decision<Output>>,
): Promise<{ readonly response: Output } | undefined> {
  const decision = await decide();
  const result = await commitDecision(committer, audit, decision, null);
  return result === "committed" ? decision : undefined;
}

/** Decides and writes, and decides again if it was overtaken. Error: service_unavailable. */
export async function writeDecided<Output>(
  committer: Committer,
  audit: CallAudit | undefined,
  decide: () => Promise<Decision<Output>>,
): Promise<Output> {
  const { response } = await again(async () => await tryToWrite(committer, audit, decide));
  return response;
}

/**
 * Commits a decision. One that PostgreSQL ended to resolve a deadlock was overtaken: nothing of it is written. Throws Error if
 * the decision changes something and does not say its audit entry, even if the call has none.
 */
export async function commitDecision(
  committer: Committer,
  audit: CallAudit | undefined,
  { changes, audit: content }: Pick<Decision<unknown>, "changes" | "audit">,
  claim: Claim | null,
): ReturnType<Committer["commit"]> {
  if (changes.length > 0 && !content) throw new Error("a change does not say its audit entry");
  const entry = changes.length > 0 && content ? audit?.entry(content) : undefined;
  try {
    return await committer.commit(changes, entry, claim);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === DEADLOCK) return "overtaken";
    throw error;
  }
}
