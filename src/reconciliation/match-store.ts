import type pg from "pg";
import { newId } from "../../contract/ids.ts";
import { bankKey, ourKey, theirKey, type Difference, type Match } from "./matching/lines.ts";

/** A match that is to be stored, with its difference. */
export interface NewMatch extends Match {
  readonly difference: Difference | null;
}

/** A line has a match by now that it had not when it was read: everything is read again. */
export class LineTaken extends Error {}

type Client = Pick<pg.PoolClient, "query">;
type Column = readonly unknown[];

/** Stores matches and their differences, and notes them on their lines. Throws LineTaken. */
export async function storeMatches(
  client: Client,
  tenantId: string,
  matches: readonly NewMatch[],
): Promise<void> {
  if (matches.length === 0) return;
  const rows = matches.map((match) => ({ id: newId("rcm"), day: lastDay(match), match }));
  await client.query({
    name: "insert matches",
    text: `INSERT INTO reconciliation_match (tenant_id, id, leg, rule, day, account_id, is_moved, decision_id)
      SELECT $1, new.* FROM unnest($2::text[], $3::text[], $4::text[], $5::date[], $6::text[], $7::boolean[], $8::text[])
        AS new`,
    values: [
      tenantId,
      rows.map(({ id }) => id),
      rows.map(({ match }) => match.leg),
      rows.map(({ match }) => match.rule),
      rows.map(({ day }) => day),
      rows.map(({ match }) => match.ours[0]?.accountId ?? match.theirs[0]?.accountId ?? null),
      rows.map(({ match }) => match.isMoved),
      rows.map(({ match }) => match.decisionId),
    ],
  });
  const ours = rows.flatMap(({ id, match }) =>
    match.ours.map((line) => [line.accountId, line.id, id] as const),
  );
  await note(client, ours.length, {
    name: "note matches of book lines",
    text: `UPDATE book_line line SET match_id = new.match FROM unnest($2::text[], $3::text[], $4::text[])
        AS new (account, id, match)
      WHERE tenant_id = $1 AND account_id = account COLLATE "C" AND line.id = new.id COLLATE "C" AND ${isOpen("match_id")}`,
    values: [tenantId, ...columns(ours, 3)],
  });
  for (const leg of ["books", "bank"] as const) {
    const column = `${leg}_match_id`;
    const theirs = rows
      .filter(({ match }) => match.leg === leg)
      .flatMap(({ id, match }) =>
        match.theirs.map((line) => [line.accountId, line.kind, line.id, id] as const),
      );
    await note(client, theirs.length, {
      name: `note ${leg} matches of statement lines`,
      text: `UPDATE statement_line line SET ${column} = new.match
        FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS new (account, line_kind, id, match)
        WHERE tenant_id = $1 AND account_id = account COLLATE "C" AND kind = line_kind
          AND provider_line_id = new.id COLLATE "C" AND ${isOpen(column)}`,
      values: [tenantId, ...columns(theirs, 4)],
    });
  }
  const bank = rows.flatMap(({ id, match }) => match.bank.map((line) => [line.id, id] as const));
  await note(client, bank.length, {
    name: "note matches of bank lines",
    text: `UPDATE bank_line line SET match_id = new.match FROM unnest($2::text[], $3::text[]) AS new (id, match)
      WHERE tenant_id = $1 AND line.id = new.id COLLATE "C" AND ${isOpen("match_id")}`,
    values: [tenantId, ...columns(bank, 2)],
  });
  const differences = rows.flatMap(({ id, match: { difference } }) =>
    difference ? [{ difference, matchId: id }] : [],
  );
  await storeDifferences(client, tenantId, differences);
}

/** Stores differences: those of matches, which have their lines, and those of open lines, which name them. */
export async function storeDifferences(
  client: Client,
  tenantId: string,
  differences: readonly { readonly difference: Difference; readonly matchId: string | null }[],
): Promise<void> {
  if (differences.length === 0) return;
  const of = (read: (difference: Difference) => unknown): Column =>
    differences.map(({ difference }) => read(difference));
  await client.query({
    name: "insert differences",
    text: `INSERT INTO reconciliation_difference (tenant_id, leg, kind, day, account_id, amount_minor,
        fee_expected_minor, fee_charged_minor, due_on, match_id, line_keys)
      SELECT $1, new.* FROM unnest($2::text[], $3::text[], $4::date[], $5::text[], $6::int8[], $7::int8[], $8::int8[],
        $9::date[], $10::text[], $11::json[]) AS new`,
    values: [
      tenantId,
      of(({ leg }) => leg),
      of(({ kind }) => kind),
      of(({ day }) => day),
      of(({ accountId }) => accountId),
      of(({ amountMinor }) => amountMinor),
      of(({ fee }) => fee?.expectedMinor ?? null),
      of(({ fee }) => fee?.chargedMinor ?? null),
      of(({ dueOn }) => dueOn),
      differences.map(({ matchId }) => matchId),
      differences.map(({ difference, matchId }) =>
        matchId === null ? JSON.stringify(keysOf(difference)) : null,
      ),
    ],
  });
}

function keysOf({ ours, theirs, bank }: Pick<Match, "ours" | "theirs" | "bank">): string[] {
  return [...ours.map(ourKey), ...theirs.map(theirKey), ...bank.map(bankKey)];
}

function lastDay({ ours, theirs, bank }: Match): string {
  return [...ours, ...theirs, ...bank].reduce((last, { day }) => (day > last ? day : last), "");
}

/** Written so that a line is found by its key: the index of open lines would be read for each of them. */
function isOpen(column: string): string {
  return `coalesce(${column}, '') = ''`;
}

async function note(client: Client, count: number, query: pg.QueryConfig): Promise<void> {
  if (count === 0) return;
  const { rowCount } = await client.query(query);
  if (rowCount !== count) throw new LineTaken("a line has another match by now");
}

function columns(rows: readonly (readonly unknown[])[], count: number): Column[] {
  return Array.from({ length: count }, (_, place) => rows.map((row) => row[place]));
}
