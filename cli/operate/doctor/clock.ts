import type pg from "pg";
import { TIME_ZONE } from "../../../contract/day.ts";
import { defined } from "../../../contract/defined.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("clock");
// An earlier date is wrong: the software is newer.
const OLDEST_MS = Date.UTC(2026, 0, 1);
const PAUSE_MS = 50;
const JUMP_MS_MAX = 500;
const APART_MS_WISHED = 2000;
// Receivers of webhooks refuse timestamps that are further off.
const APART_MS_MAX = 60_000;

/** Readings of this machine's clock, and of the database's clock at the same moment if there is a database. */
export interface Clocks {
  readonly nowMs: number;
  /** Jump of the clock: the time that it advanced beyond the time that passed. */
  readonly jumpMs: number;
  readonly databaseAheadMs: number | undefined;
  /** Why the time zone of the banking days cannot be used. Absent: it can. */
  readonly zoneError?: string;
}

export async function lookAtClocks(client: pg.Client | undefined): Promise<Clocks> {
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  await new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
  });
  const jumpMs = Date.now() - wallMs - (performance.now() - steadyMs);
  let zoneError: string | undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: TIME_ZONE }).format(wallMs);
    await client?.query("SELECT now() AT TIME ZONE $1", [TIME_ZONE]);
  } catch (error) {
    zoneError = lineOf(error);
  }
  const databaseAheadMs = client && (await measureAheadMs(client));
  return { nowMs: Date.now(), jumpMs, databaseAheadMs, ...defined({ zoneError }) };
}

/** Returns how far the database's clock is ahead. The database answers at best in the middle of the round trip. */
async function measureAheadMs(client: pg.Client): Promise<number> {
  const sentMs = Date.now();
  const sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms";
  const { rows } = await client.query<{ ms: number }>(sql);
  return Math.round(Number(rows[0]?.ms) - (sentMs + Date.now()) / 2);
}

export function judgeClocks({ nowMs, jumpMs, databaseAheadMs: aheadMs, zoneError }: Clocks): Finding {
  const advice = "Set the clock, and keep it set by NTP.";
  const now = new Date(nowMs).toISOString();
  if (zoneError !== undefined) {
    return problem(`${TIME_ZONE}: ${zoneError}`, "Install time zone data (tzdata) where the database runs.");
  }
  if (nowMs < OLDEST_MS) return problem(`the clock of this machine is at ${now}`, advice);
  if (Math.abs(jumpMs) > JUMP_MS_MAX)
    return warning(`this machine's clock jumps (${Math.round(jumpMs)} ms)`, advice);
  if (aheadMs === undefined) return ok(`${now}, ${TIME_ZONE} is known`);
  const apart = `the database's clock is ${aheadMs} ms from this machine's`;
  if (Math.abs(aheadMs) > APART_MS_MAX) return problem(apart, advice);
  if (Math.abs(aheadMs) > APART_MS_WISHED) return warning(apart, advice);
  return ok(`${now}, ${apart}, ${TIME_ZONE} is known`);
}
