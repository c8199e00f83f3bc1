import type pg from "pg";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("worker");
const MINUTE_MS = 60_000;
// A worker claims what is due within seconds; only its longest checks take minutes.
const IDLE_MS_MAX = 10 * MINUTE_MS;

/** What workers left in the database. */
export interface WorkerTrace {
  /** When the first of the rounds that workers run regularly was due. Null: none was ever run. */
  readonly dueAt: Date | null;
  /** When the first tenant was created. Null: there is none. */
  readonly tenantAt: Date | null;
}

/** Returns what workers left, or undefined while the tables are not there. */
export async function lookAtWorker(client: pg.Client): Promise<WorkerTrace | undefined> {
  const { rows: found } = await client.query(
    "SELECT to_regclass('live.audit') AS live, to_regclass('test.audit') AS test, to_regclass('identity.tenant') AS tenant",
  );
  if (!found[0]?.live || !found[0].test || !found[0].tenant) return undefined;
  const { rows } = await client.query<WorkerTrace>(
    `SELECT least((SELECT min(due_at) FROM live.audit), (SELECT min(due_at) FROM test.audit)) AS "dueAt",
       (SELECT min(created_at) FROM identity.tenant) AS "tenantAt"`,
  );
  return rows[0];
}

/** Judges whether a worker runs. A round that is long overdue was taken by none. */
export function judgeWorker({ dueAt, tenantAt }: WorkerTrace, nowMs: number, isEmbedded: boolean): Finding {
  const since = dueAt ?? tenantAt;
  if (since === null) return ok("nothing to do yet");
  if (nowMs - since.getTime() <= IDLE_MS_MAX) return ok("takes what is due");
  const advice = isEmbedded
    ? "Start paylink serve without --role: a worker beside it needs DATABASE_URL, the same as the core's."
    : "Start one: paylink serve --role worker, with the same DATABASE_URL.";
  const found = dueAt
    ? `none has taken what is due since ${dueAt.toISOString()}`
    : "none has run on this database yet";
  return warning(`${found}: no webhook is sent, no link expires, nothing is settled`, advice);
}
