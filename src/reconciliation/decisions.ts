import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { isId, newId } from "../../contract/ids.ts";
import type { Environment } from "../platform/db/database.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { actorName } from "../platform/rpc/actor.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { dayPeriod } from "../platform/time/period.ts";
import { insert, update, within } from "../platform/write/change.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { BankAccount, ReconciliationDecision, type DecisionRow } from "./entities.ts";
import { findLines, findLinesOfMatches, matchOf, type FoundLine } from "./line-keys.ts";
import { legs, toDecision } from "./mapping.ts";
import type { Leg } from "./matching/lines.ts";
import { makeRunDue } from "./run-state.ts";

const LIMIT_DEFAULT = 20;

type Rpcs = Pick<ServiceImpl<typeof ReconciliationService>, "decide" | "undoDecision" | "listDecisions">;
type MatchSoon = (mode: "live" | "test", tenantId: string) => Promise<void>;

/** The RPCs of a person's word on lines. */
export function decisionRpcs({ operations, clock }: ReconciliationDeps, matchSoon: MatchSoon): Rpcs {
  return {
    decide: operations.write({
      check: ({ reason }) => checkOwnText("reason", reason),
      decide: async ({ leg: asked, lineKeys, reason }, { tenantId, environment, context }) => {
        const leg = legs.knownWordOf(asked);
        const lines = await findLines(environment, tenantId, lineKeys);
        const accountId = requireTogether(leg, lineKeys, lines);
        const former = [...new Set(lines.flatMap((line) => matchOf(line, leg) ?? []))];
        await requireUndecided(environment.pool, tenantId, former);
        const owner = accountId ?? (await ownerOf(environment, tenantId, lines));
        const row: DecisionRow = {
          tenantId,
          id: newId("rcd"),
          leg,
          reason,
          lineKeys: [...lineKeys],
          madeBy: actorName(context),
          madeAt: wholeSecond(clock),
          undoneBy: null,
          undoneAt: null,
        };
        return {
          response: { decision: toDecision(row, lines) },
          changes: [
            insert(ReconciliationDecision, row),
            within(async (client) => {
              const freed = await dissolve(client, tenantId, former);
              await storeDecided(client, row, lines, owner);
              const first = firstDay([...lines, ...freed]);
              await makeRunDue(client, clock, tenantId, first);
            }),
          ],
          audit: { objectId: row.id },
        };
      },
      follow: async (response, { tenantId, mode }) => {
        await matchSoon(mode, tenantId);
        return response;
      },
    }),
    undoDecision: operations.write({
      decide: async ({ id }, { tenantId, environment, context }) => {
        const em = environment.orm.em.fork();
        const row = isId("rcd", id) ? await em.findOne(ReconciliationDecision, { tenantId, id }) : null;
        if (!row) throw new PaylinkError("decision_not_found", "There is no such decision.");
        const lines = await findLines(environment, tenantId, row.lineKeys);
        if (row.undoneAt) return { response: { decision: toDecision(row, lines) }, changes: [] };
        const undone = { undoneBy: actorName(context), undoneAt: wholeSecond(clock) };
        return {
          response: { decision: toDecision({ ...row, ...undone }, lines) },
          changes: [
            update(ReconciliationDecision, { tenantId, id, undoneAt: null }, undone),
            within(async (client) => {
              const { rows } = await client.query<{ id: string }>(
                "SELECT id FROM reconciliation_match WHERE tenant_id = $1 AND decision_id = $2",
                [tenantId, id],
              );
              const freed = await dissolve(
                client,
                tenantId,
                rows.map((match) => match.id),
              );
              await makeRunDue(client, clock, tenantId, firstDay(freed));
            }),
          ],
          audit: { objectId: id },
        };
      },
      follow: async (response, { tenantId, mode }) => {
        await matchSoon(mode, tenantId);
        return response;
      },
    }),
    listDecisions: operations.run(async ({ from, to, limit, startingAfter }, { tenantId, environment }) => {
      const madeAt = {
        ...(from === undefined ? {} : { $gte: dayPeriod("from", from).from }),
        ...(to === undefined ? {} : { $lt: dayPeriod("to", to).until }),
      };
      const { rows, ...page } = await keysetPage<DecisionRow, string>({
        limit: limit ?? LIMIT_DEFAULT,
        startingAfter,
        what: "the id of a decision",
        find: idAsCursor("rcd"),
        read: async (after, rowCount) =>
          await environment.orm.em
            .fork()
            .find(
              ReconciliationDecision,
              { tenantId, madeAt, ...(after === undefined ? {} : { id: { $lt: after } }) },
              { orderBy: { id: "desc" }, limit: rowCount },
            ),
      });
      const keys = [...new Set(rows.flatMap(({ lineKeys }) => lineKeys))];
      const lines = await findLines(environment, tenantId, keys);
      const byKey = new Map(lines.map((line) => [line.key, line]));
      const decisions = rows.map((row) =>
        toDecision(
          row,
          row.lineKeys.flatMap((key) => byKey.get(key) ?? []),
        ),
      );
      return { decisions, ...page };
    }),
  };
}

/** Returns the account of the lines; null: they are bank lines alone. Error: invalid_request on line_keys. */
function requireTogether(leg: Leg, keys: readonly string[], lines: readonly FoundLine[]): string | null {
  const found = new Set(lines.map(({ key }) => key));
  const missing = keys.find((key) => !found.has(key));
  if (missing !== undefined) throw invalidRequest("line_keys", "line_keys has a line that does not exist.");
  const own = leg === "books" ? ["ours", "theirs"] : ["theirs", "bank"];
  if (lines.some(({ side }) => !own.includes(side))) {
    throw invalidRequest("line_keys", `line_keys has a line that is on no side of the leg "${leg}".`);
  }
  if (leg === "books" && lines.some(({ side, kind }) => side === "theirs" && kind === "transfer")) {
    throw invalidRequest("line_keys", "line_keys has a payout, of which our books have no line.");
  }
  const accounts = new Set(lines.filter(({ side }) => side !== "bank").map(({ accountId }) => accountId));
  const banks = new Set(lines.filter(({ side }) => side === "bank").map(({ accountId }) => accountId));
  if (accounts.size > 1 || banks.size > 1) {
    throw invalidRequest("line_keys", "line_keys has lines of two accounts.");
  }
  return [...accounts][0] ?? null;
}

/** Error: invalid_request on line_keys, for a line of another decision. */
async function requireUndecided(pool: pg.Pool, tenantId: string, matchIds: readonly string[]): Promise<void> {
  if (matchIds.length === 0) return;
  const { rows } = await pool.query<{ id: string }>(
    `SELECT decision_id AS id FROM reconciliation_match
      WHERE tenant_id = $1 AND id = ANY ($2) AND decision_id IS NOT NULL LIMIT 1`,
    [tenantId, matchIds],
  );
  if (!rows[0]) return;
  const message = `line_keys has a line of the decision ${rows[0].id}: undo that one first.`;
  throw invalidRequest("line_keys", message);
}

async function ownerOf(
  { orm }: Environment,
  tenantId: string,
  lines: readonly FoundLine[],
): Promise<string | null> {
  const [line] = lines;
  const row = await orm.em.fork().findOne(BankAccount, { tenantId, id: line?.accountId ?? "" });
  return row?.accountId ?? null;
}

/** Takes matches away. Returns their lines, which are open again. */
async function dissolve(
  client: pg.PoolClient,
  tenantId: string,
  matchIds: readonly string[],
): Promise<FoundLine[]> {
  if (matchIds.length === 0) return [];
  const lines = await findLinesOfMatches({ pool: client }, tenantId, matchIds);
  for (const query of [
    "UPDATE book_line SET match_id = NULL WHERE tenant_id = $1 AND match_id = ANY ($2)",
    "UPDATE statement_line SET books_match_id = NULL WHERE tenant_id = $1 AND books_match_id = ANY ($2)",
    "UPDATE statement_line SET bank_match_id = NULL WHERE tenant_id = $1 AND bank_match_id = ANY ($2)",
    "UPDATE bank_line SET match_id = NULL WHERE tenant_id = $1 AND match_id = ANY ($2)",
    "DELETE FROM reconciliation_difference WHERE tenant_id = $1 AND match_id = ANY ($2)",
    "DELETE FROM reconciliation_match WHERE tenant_id = $1 AND id = ANY ($2)",
  ]) {
    await client.query(query, [tenantId, matchIds]);
  }
  return lines;
}

/** Stores the match of a decision, and what it explains: of any amount, 0 too. */
async function storeDecided(
  client: pg.PoolClient,
  { tenantId, id: decisionId, leg }: DecisionRow,
  lines: readonly FoundLine[],
  accountId: string | null,
): Promise<void> {
  const id = newId("rcm");
  const days = lines.map(({ day }) => day);
  const last = days.reduce((latest, day) => (day > latest ? day : latest), "");
  const rightSide = leg === "books" ? "theirs" : "bank";
  const day = lines.find(({ side }) => side === rightSide)?.day ?? days[0] ?? last;
  await client.query(
    `INSERT INTO reconciliation_match (tenant_id, id, leg, rule, day, account_id, is_moved, decision_id)
      VALUES ($1, $2, $3, 'decided', $4, $5, $6, $7)`,
    [tenantId, id, leg, last, accountId, new Set(days).size > 1, decisionId],
  );
  let count = 0;
  for (const line of lines) {
    const { rowCount } = await client.query(...notedOn(line, leg, tenantId, id));
    count += rowCount ?? 0;
  }
  // A run has matched one of them meanwhile: it is decided again.
  if (count !== lines.length) throw Object.assign(new Error("a line has a match by now"), { code: "PL409" });
  const amountMinor = lines.reduce((sum, line) => sum + moreOn(rightSide, line), 0n);
  await client.query(
    `INSERT INTO reconciliation_difference (tenant_id, leg, kind, day, account_id, amount_minor, match_id)
      VALUES ($1, $2, 'decided', $3, $4, $5, $6)`,
    [tenantId, leg, day, accountId, amountMinor, id],
  );
}

/** Returns what a line adds to what the right side has more than the left one. A payout is negative where it leaves. */
function moreOn(rightSide: string, { side, kind, amountMinor }: FoundLine): bigint {
  if (side === rightSide) return amountMinor;
  return rightSide === "bank" && kind === "transfer" ? amountMinor : -amountMinor;
}

function notedOn(
  { side, accountId, id, kind }: FoundLine,
  leg: Leg,
  tenantId: string,
  matchId: string,
): [text: string, values: unknown[]] {
  if (side === "ours") {
    const text = `UPDATE book_line SET match_id = $4 WHERE tenant_id = $1 AND account_id = $2 AND id = $3 AND match_id IS NULL`;
    return [text, [tenantId, accountId, id, matchId]];
  }
  if (side === "bank") {
    const text = "UPDATE bank_line SET match_id = $3 WHERE tenant_id = $1 AND id = $2 AND match_id IS NULL";
    return [text, [tenantId, id, matchId]];
  }
  const text = `UPDATE statement_line SET ${leg}_match_id = $5 WHERE tenant_id = $1 AND account_id = $2 AND kind = $3
    AND provider_line_id = $4 AND ${leg}_match_id IS NULL`;
  return [text, [tenantId, accountId, kind, id, matchId]];
}

function firstDay(lines: readonly FoundLine[]): string | null {
  return lines.reduce<string | null>((first, { day }) => (first === null || day < first ? day : first), null);
}
