import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "../server.ts";
import { query } from "../stage.ts";
import { KINDS, Shop } from "./chain.ts";
import type { Receiver } from "./receiver.ts";

const AMOUNT = 15_990;
const LOOKS = 50;
const LOOK_MS = 100;
// What this service's worker notes for itself: its sums of the ledger, and when its checks are due.
const UNCOMPARED = ["ledger_sum", "ledger_unsummed", "audit"];

/** A service whose tenant has an endpoint at the receiver, on a database of its own: its worker sends no other's events. */
export interface Contestant {
  readonly name: string;
  readonly databaseUrl: string;
  readonly start: () => Promise<Server>;
}

/**
 * Throws Error unless a sale of each kind leaves the same number of rows in each table, and the same answers and events but
 * for ids, times and addresses.
 */
export async function requireSameWork(contestants: readonly Contestant[], receiver: Receiver): Promise<void> {
  const answers: string[] = [];
  const rows: string[] = [];
  for (const { databaseUrl, start } of contestants) {
    const server = await start();
    const shop = new Shop(server, receiver, 1);
    const texts = [];
    for (const kind of KINDS) texts.push(...(await shop.sell(kind, AMOUNT)).answers);
    answers.push(texts.map(comparable).join("\n"));
    await shop.close();
    rows.push(await rowsIn(databaseUrl));
    await server.stop();
  }
  for (const texts of [answers, rows]) {
    if (new Set(texts).size > 1) throw new Error(`they do not do the same work:\n${texts.join("\n\n")}`);
  }
}

function comparable(text: string): string {
  return text
    .replaceAll(/\b([a-z]{2,4})_[0-9a-z]{26}\b/g, "$1_")
    .replaceAll(/"signature":"[^"]+"/g, '"signature":""')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "")
    .replaceAll(/\b\d{10}\b/g, "0");
}

/** Returns the number of rows of each table when all deliveries have ended. */
async function rowsIn(databaseUrl: string): Promise<string> {
  for (let look = 0; look < LOOKS; look++) {
    const pending = await query(databaseUrl, "SELECT FROM test.webhook_delivery WHERE status = 'pending'");
    if (pending.length === 0) break;
    await delay(LOOK_MS);
  }
  const tables = await query<{ name: string }>(
    databaseUrl,
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
      WHERE table_schema IN ('test', 'identity') AND table_type = 'BASE TABLE'
        AND table_name <> ALL ('{${UNCOMPARED.join(",")}}') ORDER BY 1`,
  );
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::int FROM ${name}`);
  const rows = await query<{ name: string; count: number }>(
    databaseUrl,
    `${counts.join(" UNION ALL ")} ORDER BY 1`,
  );
  return rows.map(({ name, count }) => `${name} ${count}`).join("\n");
}
