import type { ReplicaSettings } from "./replica.ts";

type Text = (name: string) => string | undefined;

const LAG_MS = 5000;
const LAG_MS_MAX = 60_000;

/** Reads the variables of a replica. Throws the error of `fail`, which gets one line for the operator. */
export function readReplicaConfig(text: Text, fail: (problem: string) => Error): ReplicaSettings | undefined {
  const url = text("DATABASE_REPLICA_URL");
  const lag = text("DATABASE_REPLICA_LAG_MS") ?? String(LAG_MS);
  if (!/^\d{4,5}$/.test(lag) || Number(lag) < 1000 || Number(lag) > LAG_MS_MAX) {
    throw fail(`DATABASE_REPLICA_LAG_MS must be milliseconds, 1000 to ${LAG_MS_MAX}.`);
  }
  if (url === undefined) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url)) throw fail("DATABASE_REPLICA_URL must be a postgresql:// URL.");
  if (text("DATABASE_URL") === undefined) throw fail("DATABASE_REPLICA_URL needs DATABASE_URL.");
  return { url, lagMsMax: Number(lag) };
}
