import type { AuditRow } from "../platform/rpc/audit-entry.ts";
import { notify, type Change } from "../platform/write/change.ts";
import type { CommitResult } from "../platform/write/claim.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import type { IdentityDeps } from "./deps.ts";

/** Commits changes of a tenant's settings and announces them. */
export async function commitSettings(
  { identity, cache }: Pick<IdentityDeps, "identity" | "cache">,
  tenantId: string,
  changes: readonly Change[],
  entry: AuditRow | undefined,
): Promise<CommitResult> {
  const topic = `tenant:${tenantId}`;
  const result = await identity.committer.commit([...changes, notify(topic)], entry);
  // Other processes get the notification. This one must drop it before it answers.
  cache.drop(topic);
  return result;
}

/** Returns a name without the spaces around it. Error: invalid_request on name. */
export function trimmedName(name: string): string {
  const text = name.trim();
  if (text === "") throw invalidRequest("name", "name must not be blank.");
  return text;
}
