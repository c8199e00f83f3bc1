import { checkReplays, type Acknowledged } from "../acknowledged.ts";
import { findBroken, findMissingKeys } from "./invariants.ts";
import { Load } from "./load.ts";
import type { Topology } from "./topology.ts";

/** What is true after a fault: everything in it must be empty. */
export interface Verdict {
  /** Acknowledged keys that the database does not know. */
  readonly missing: readonly string[];
  /** Acknowledged keys that are replayed with another status or other bytes, or not at all. */
  readonly changed: readonly string[];
  /** Invariants that are broken: their name, how many rows, and a few of them. */
  readonly broken: readonly string[];
}

export function isClean({ missing, changed, broken }: Verdict): boolean {
  return missing.length + changed.length + broken.length === 0;
}

/** Looks past the service into the database for what must never be; `except` names what does not apply. */
export async function judge(
  { database }: Topology,
  acknowledged: readonly Acknowledged[],
  except: readonly string[] = [],
): Promise<Verdict> {
  const client = await database.connect();
  try {
    const missing = await findMissingKeys(
      client,
      acknowledged.map(({ operation }) => operation.key),
    );
    const broken = (await findBroken(client))
      .filter(({ name }) => !except.includes(name))
      .map(({ name, count, details }) => `${name}: ${count} (${details.join("; ")})`);
    return { missing, changed: [], broken };
  } finally {
    await client.end();
  }
}

/** Asks every acknowledged key again. Returns those that are not answered with the bytes of the first time. */
export async function replayAll(
  load: Load,
  acknowledged: readonly Acknowledged[],
): Promise<readonly string[]> {
  const checks = load.accesses.map(
    async (access, tenant) =>
      await checkReplays(
        access,
        acknowledged.filter(({ operation }) => Load.tenantOf(operation.key) === tenant),
      ),
  );
  return (await Promise.all(checks)).flatMap(({ lost, changed, undecided }) => [
    ...lost,
    ...changed,
    ...undecided,
  ]);
}
