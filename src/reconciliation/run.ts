import { randomUUID } from "node:crypto";
import { dayAt, startOfDay } from "../../contract/day.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { addBookLines } from "./book-lines.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { closeDays } from "./closed-days.ts";
import { LineTaken, storeDifferences, storeMatches, type NewMatch } from "./match-store.ts";
import { matchLines, type Matched } from "./matching/match.ts";
import {
  bankKey,
  ourKey,
  theirKey,
  type Difference,
  type Lines,
  type Match,
  type OpenLines,
} from "./matching/lines.ts";
import { findNamed, findOpen, findPartners, findSameAmount } from "./open-lines.ts";
import { dateOf, msOf } from "./times.ts";
import { findRunAccounts, type RunAccount } from "./run-accounts.ts";

/** A tenant's run, as it began. */
interface Taken {
  readonly token: string;
  readonly changedFrom: string | null;
  readonly changeCount: number;
  readonly booksReadMs: string;
  readonly matchedTo: string | null;
}

/** Another run of the tenant has begun: this one writes no more. */
class Superseded extends Error {}

const LEASE_SECONDS = 900;
// A day's last payments are in the books by then.
const AFTER_MIDNIGHT_MS = 300_000;
const ATTEMPTS = 5;
const NO_LINES: Lines = { ours: [], theirs: [], bank: [] };

/** Reconciles a tenant: takes what is new in our books, matches what is open day by day, and closes the days. */
export class Run {
  readonly #deps: ReconciliationDeps;

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps;
  }

  /** Of two at once the later one goes on. Returns false if this one was the earlier. */
  async run(mode: Mode, tenantId: string): Promise<boolean> {
    const { environments, clock } = this.#deps;
    const environment = environments[mode];
    const taken = await this.#take(environment, tenantId);
    if (!taken) return true;
    try {
      const startedMs = clock.nowMs();
      const accounts = await findRunAccounts(environment, tenantId);
      const booked = await addBookLines(environment, mode, tenantId, dateOf(taken.booksReadMs), accounts);
      const today = dayAt(startedMs).toString();
      const changed = [taken.changedFrom, taken.matchedTo, booked].filter((day) => day !== null);
      const from = changed.reduce((first, day) => (day < first ? day : first), today);
      await this.#matchDays(environment, tenantId, accounts, { from, to: today }, taken.token);
      await closeDays(environment, tenantId, accounts, { from, to: today, nowMs: startedMs });
      await this.#end(environment, tenantId, taken, { startedMs, today });
      return true;
    } catch (error) {
      if (error instanceof Superseded) return false;
      throw error;
    }
  }

  async #take({ pool }: Environment, tenantId: string): Promise<Taken | undefined> {
    const { clock } = this.#deps;
    const { rows } = await pool.query<Taken>({
      name: "take a reconciliation",
      text: `UPDATE reconciliation_run SET token = $2, due_at = $3 WHERE tenant_id = $1
        RETURNING token, changed_from::text AS "changedFrom", change_count AS "changeCount",
          ${msOf("books_read_to")} AS "booksReadMs", matched_to::text AS "matchedTo"`,
      values: [tenantId, randomUUID(), new Date(clock.nowMs() + LEASE_SECONDS * 1000)],
    });
    return rows[0];
  }

  /** What changed while it ran is due at once; else the run of the next day is. */
  async #end(
    { pool }: Environment,
    tenantId: string,
    { token, changeCount }: Taken,
    { startedMs, today }: { readonly startedMs: number; readonly today: string },
  ): Promise<void> {
    const next = startOfDay(Temporal.PlainDate.from(today).add({ days: 1 })) + AFTER_MIDNIGHT_MS;
    await pool.query({
      name: "end a reconciliation",
      text: `UPDATE reconciliation_run SET token = NULL, books_read_to = $4, matched_to = $5,
          due_at = CASE change_count WHEN $3 THEN $6::timestamptz ELSE $4 END,
          changed_from = CASE change_count WHEN $3 THEN NULL ELSE changed_from END
        WHERE tenant_id = $1 AND token = $2`,
      values: [tenantId, token, changeCount, new Date(startedMs), today, new Date(next)],
    });
  }

  async #matchDays(
    environment: Environment,
    tenantId: string,
    accounts: readonly RunAccount[],
    { from, to }: { readonly from: string; readonly to: string },
    token: string,
  ): Promise<void> {
    const days = await findOpenDays(environment, tenantId, from, to);
    let differences: readonly Difference[] = [];
    for (const day of days) {
      differences = await this.#matchDay(environment, tenantId, accounts, day, token);
    }
    const open = differences.filter((difference) => !isOfMatch(difference));
    await inTransaction(
      environment.pool,
      async (client) => {
        await requireOwn(client, tenantId, token);
        await client.query({
          name: "remove differences of open lines",
          text: "DELETE FROM reconciliation_difference WHERE tenant_id = $1 AND match_id IS NULL",
          values: [tenantId],
        });
        const unmatched = open.map((difference) => ({ difference, matchId: null }));
        await storeDifferences(client, tenantId, unmatched);
      },
      LONG_QUERY_MS,
    );
  }

  /** Returns the differences at the end of the day. */
  async #matchDay(
    environment: Environment,
    tenantId: string,
    accounts: readonly RunAccount[],
    day: string,
    token: string,
  ): Promise<readonly Difference[]> {
    for (let attempts = 1; ; attempts++) {
      try {
        const found = await findMatches(environment, tenantId, accounts, day);
        if (found.matches.length === 0) return found.differences;
        await inTransaction(
          environment.pool,
          async (client) => {
            await requireOwn(client, tenantId, token);
            await storeMatches(client, tenantId, withDifferences(found));
          },
          LONG_QUERY_MS,
        );
        return found.differences;
      } catch (error) {
        if (!(error instanceof LineTaken) || attempts >= ATTEMPTS) throw error;
      }
    }
  }
}

async function findMatches(
  environment: Environment,
  tenantId: string,
  accounts: readonly RunAccount[],
  day: string,
): Promise<Matched> {
  const open = await findOpen(environment, tenantId, accounts, day);
  const named = await findNamed(environment, tenantId, open);
  const found = matched(accounts, day, open, { ...named, bank: [] });
  // A bank line has no name of its own: only those that no id of a statement has can be such a line once more.
  const unsure = [
    ...found.open.bank,
    ...found.matches.filter(({ rule }) => isByAmount(rule)).flatMap(({ bank }) => bank),
  ];
  const same = await findSameAmount(environment, tenantId, unsure);
  if (same.length === 0) return found;
  const theirs = [...named.theirs, ...(await findPartners(environment, tenantId, same))];
  return matched(accounts, day, open, { ...named, theirs, bank: same });
}

function matched(accounts: readonly RunAccount[], day: string, open: OpenLines, earlier: Lines): Matched {
  const input = { days: [day], lines: NO_LINES, decisions: [], openings: [], stated: [] };
  return matchLines({ ...input, accounts, open, earlier });
}

function isByAmount(rule: Match["rule"]): boolean {
  return rule === "amount_and_day" || rule === "sum_of_lines" || rule === "day_total";
}

function isOfMatch({ kind }: Difference): boolean {
  return kind === "amount_differs" || kind === "fee_differs";
}

function withDifferences({ matches, differences }: Matched): NewMatch[] {
  const byLine = new Map(
    differences.filter(isOfMatch).flatMap((difference) => {
      const key = firstKey(difference);
      return key === undefined ? [] : [[`${difference.leg} ${key}`, difference] as const];
    }),
  );
  return matches.map((match) => ({
    ...match,
    difference: byLine.get(`${match.leg} ${firstKey(match)}`) ?? null,
  }));
}

function firstKey({ ours: [our], theirs: [their], bank: [bank] }: Lines): string | undefined {
  if (their) return theirKey(their);
  return our ? ourKey(our) : bank && bankKey(bank);
}

/**
 * Returns the days of a period on which a line is open, and its last day. On those before the first open line of a statement
 * or a bank there is nothing to match.
 */
async function findOpenDays(
  { pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>({
    name: "days with open lines",
    text: `WITH others AS (
        SELECT day FROM statement_line WHERE tenant_id = $1 AND books_match_id IS NULL AND kind <> 'transfer'
        UNION SELECT day FROM bank_line WHERE tenant_id = $1 AND match_id IS NULL
      )
      SELECT day::text AS day FROM (
        SELECT day FROM others
        UNION SELECT day FROM book_line WHERE tenant_id = $1 AND match_id IS NULL
        UNION SELECT day FROM statement_line WHERE tenant_id = $1 AND bank_match_id IS NULL
      ) AS open WHERE day BETWEEN $2 AND $3 AND day >= (SELECT min(day) FROM others) ORDER BY day`,
    values: [tenantId, from, to],
  });
  const days = rows.map(({ day }) => day);
  return days.at(-1) === to ? days : [...days, to];
}

async function requireOwn(
  client: { query: Environment["pool"]["query"] },
  tenantId: string,
  token: string,
): Promise<void> {
  const { rowCount } = await client.query(
    "SELECT FROM reconciliation_run WHERE tenant_id = $1 AND token = $2 FOR UPDATE",
    [tenantId, token],
  );
  if (rowCount === 0) throw new Superseded("another run has begun");
}
