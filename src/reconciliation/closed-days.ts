import type { Environment } from "../platform/db/database.ts";
import type { LineKind } from "../providers/account-statement.ts";
import {
  dayColumns,
  type Balances,
  type Column,
  type DayColumns,
  type SummedBankLine,
} from "./matching/day-columns.ts";
import type { RunAccount } from "./run-accounts.ts";

export type DayState = "open" | "even" | "explained" | "differs";

interface Period {
  readonly from: string;
  readonly to: string;
  readonly nowMs: number;
}

/** What is known of an account's day beside its columns. */
interface DayFacts {
  readonly isComplete: boolean;
  readonly doesCarry: boolean;
  readonly sha256: string | null;
  readonly kinds: ReadonlySet<string>;
}

const NO_FACTS: DayFacts = { isComplete: false, doesCarry: true, sha256: null, kinds: new Set() };

/**
 * Returns what a day is. It is open while something of it is not known yet, unless something differs already. A day that a
 * provider's own balance contradicts differs.
 */
function dayState(facts: DayFacts, isBanked: boolean): DayState {
  const { kinds, isComplete, doesCarry } = facts;
  const isDifferent = [...kinds].some((kind) => kind !== "in_transit" && kind !== "decided");
  if (isDifferent || !doesCarry) return "differs";
  if (!isComplete || !isBanked || kinds.has("in_transit")) return "open";
  return kinds.has("decided") ? "explained" : "even";
}

/** Stores the columns and the state of each day of the accounts, from a day on. */
export async function closeDays(
  environment: Environment,
  tenantId: string,
  accounts: readonly RunAccount[],
  { from, to, nowMs }: Period,
): Promise<void> {
  for (const account of accounts) {
    const former = await findColumns(environment, tenantId, account.id, eve(from));
    // An account whose days are not stored yet begins at its first one.
    const first = former || from < account.firstDay ? maxOf(from, account.firstDay) : account.firstDay;
    if (first > to) continue;
    const columns = await columnsOf(environment, tenantId, account, { first, to, former });
    const facts = await findFacts(environment, tenantId, account.id, first, to);
    await storeDays(environment, tenantId, account, columns, facts, new Date(nowMs));
  }
}

async function columnsOf(
  environment: Environment,
  tenantId: string,
  account: RunAccount,
  { first, to, former }: { first: string; to: string; former: DayColumns | undefined },
): Promise<DayColumns[]> {
  const { ours, theirs, bank, bankKinds } = await findSums(environment, tenantId, account, first, to);
  const begun = await findOpenings(environment, tenantId, account, first);
  const opening = former ? closingsOf(former, begun) : begun;
  const days: string[] = [];
  for (let day = first; day <= to; day = next(day)) days.push(day);
  const stated = await findStated(environment, tenantId, account, first, to);
  return dayColumns({
    accounts: [account],
    days,
    lines: { ours, theirs, bank },
    openings: [opening],
    stated,
    bankKinds,
  });
}

interface Sum {
  readonly day: string;
  readonly kind: LineKind;
  readonly minor: string;
}

function sumsOf(table: "book_line" | "statement_line"): string {
  return `SELECT day::text AS day, kind, sum(amount_minor)::text AS minor FROM ${table}
    WHERE tenant_id = $1 AND account_id = $2 AND day BETWEEN $3 AND $4 GROUP BY day, kind, amount_minor > 0`;
}

/** Returns the sums of each day, kind and sign. */
async function findSums(
  { pool }: Environment,
  tenantId: string,
  { id: accountId, bank }: RunAccount,
  from: string,
  to: string,
) {
  const values = [tenantId, accountId, from, to];
  const [ours, theirs, banks] = await Promise.all([
    pool.query<Sum>({ name: "sums of book lines", text: sumsOf("book_line"), values }),
    pool.query<Sum>({ name: "sums of statement lines", text: sumsOf("statement_line"), values }),
    pool.query<Omit<Sum, "kind"> & { kind: LineKind | null }>({
      name: "sums of bank lines",
      text: `SELECT day::text AS day, kind, sum(amount_minor)::text AS minor FROM (
          SELECT line.day, line.amount_minor, (SELECT CASE WHEN count(DISTINCT kind) = 1 THEN nullif(min(kind), 'transfer')
              END FROM statement_line theirs WHERE theirs.tenant_id = $1 AND theirs.bank_match_id = line.match_id) AS kind
          FROM bank_line line WHERE line.tenant_id = $1 AND line.bank_account_id = $2 AND line.currency = 'BRL'
            AND line.day BETWEEN $3 AND $4) AS lines
        GROUP BY day, kind, amount_minor > 0`,
      values: [tenantId, bank?.accountId ?? "", from, to],
    }),
  ]);
  const toLine = ({ day, kind, minor }: Sum) => ({ accountId, day, kind, amountMinor: BigInt(minor) });
  const bankKinds = new Map<SummedBankLine, LineKind>();
  const bankLines = banks.rows.map(({ day, kind, minor }) => {
    const line = { bankAccountId: bank?.accountId ?? "", day, amountMinor: BigInt(minor) };
    if (kind !== null) bankKinds.set(line, kind);
    return line;
  });
  return { ours: ours.rows.map(toLine), theirs: theirs.rows.map(toLine), bank: bankLines, bankKinds };
}

/** Returns what there was at the begin of an account's first day, as the provider and the bank say it; 0 where none does. */
async function findOpenings(
  { pool }: Environment,
  tenantId: string,
  { id: accountId, bank }: RunAccount,
  first: string,
): Promise<Balances> {
  const { rows: stated } = await pool.query<{ minor: string | null }>({
    name: "opening of a statement",
    text: `SELECT opening_minor::text AS minor FROM statement_day WHERE tenant_id = $1 AND account_id = $2 AND day = $3`,
    values: [tenantId, accountId, first],
  });
  const { rows: banked } = await pool.query<{ minor: string | null }>({
    name: "opening of a bank account",
    text: `SELECT (balance_minor - (SELECT coalesce(sum(amount_minor), 0) FROM bank_line line WHERE line.tenant_id = $1
          AND line.bank_account_id = $2 AND line.day BETWEEN $3 AND balance_day))::text AS minor
      FROM bank_import WHERE tenant_id = $1 AND bank_account_id = $2 AND balance_day >= $3
      ORDER BY balance_day LIMIT 1`,
    values: [tenantId, bank?.accountId ?? "", first],
  });
  const minor = BigInt(stated[0]?.minor ?? 0);
  return { accountId, oursMinor: minor, theirsMinor: minor, bankMinor: BigInt(banked[0]?.minor ?? 0) };
}

async function findStated(
  { pool }: Environment,
  tenantId: string,
  { id: accountId, bank }: RunAccount,
  from: string,
  to: string,
) {
  const { rows } = await pool.query<{ day: string; theirs: string | null; bank: string | null }>({
    name: "stated closings",
    text: `SELECT day::text AS day, max(theirs)::text AS theirs, max(bank)::text AS bank FROM (
        SELECT day, closing_minor AS theirs, NULL::int8 AS bank FROM statement_day
          WHERE tenant_id = $1 AND account_id = $2 AND day BETWEEN $4 AND $5
        UNION ALL SELECT balance_day, NULL, balance_minor FROM bank_import
          WHERE tenant_id = $1 AND bank_account_id = $3 AND balance_day BETWEEN $4 AND $5) AS stated
      GROUP BY day`,
    values: [tenantId, accountId, bank?.accountId ?? "", from, to],
  });
  return rows.map((row) => ({
    accountId,
    day: row.day,
    theirsMinor: row.theirs === null ? null : BigInt(row.theirs),
    bankMinor: row.bank === null ? null : BigInt(row.bank),
  }));
}

async function findFacts(
  { pool }: Environment,
  tenantId: string,
  accountId: string,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, DayFacts>> {
  const values = [tenantId, accountId, from, to];
  const { rows: read } = await pool.query<{
    day: string;
    isComplete: boolean;
    doesCarry: boolean;
    sha256: string;
  }>({
    name: "statement days of a period",
    text: `SELECT day::text AS day, is_complete AS "isComplete", lines_sha256 AS sha256,
        coalesce(opening_minor + lines_minor = closing_minor, true) AS "doesCarry"
      FROM statement_day WHERE tenant_id = $1 AND account_id = $2 AND day BETWEEN $3 AND $4`,
    values,
  });
  const { rows: differences } = await pool.query<{ day: string; kind: string }>({
    name: "kinds of differences of a period",
    text: `SELECT DISTINCT day::text AS day, kind FROM reconciliation_difference
      WHERE tenant_id = $1 AND account_id = $2 AND day BETWEEN $3 AND $4`,
    values,
  });
  const kinds = Map.groupBy(differences, ({ day }) => day);
  const days = new Map<string, DayFacts>(
    read.map(({ day, ...facts }) => [day, { ...facts, kinds: new Set() }]),
  );
  for (const [day, found] of kinds) {
    days.set(day, { ...(days.get(day) ?? NO_FACTS), kinds: new Set(found.map(({ kind }) => kind)) });
  }
  return days;
}

async function storeDays(
  { pool }: Environment,
  tenantId: string,
  account: RunAccount,
  columns: readonly DayColumns[],
  facts: ReadonlyMap<string, DayFacts>,
  now: Date,
): Promise<void> {
  const rows = columns.map((column) => {
    const known = facts.get(column.day) ?? NO_FACTS;
    const isBanked = account.bank === null || (account.bankedUntil ?? "") >= column.day;
    return { column, sha256: known.sha256, state: dayState(known, isBanked) };
  });
  await pool.query({
    name: "store reconciled days",
    text: `INSERT INTO reconciled_day (tenant_id, account_id, day, state, columns, bank_account_id, lines_sha256, closed_at)
      SELECT $1, $2, new.day, new.state, new.columns, $3, new.sha256,
        CASE WHEN new.state IN ('even', 'explained') THEN $8::timestamptz END
      FROM unnest($4::date[], $5::text[], $6::json[], $7::text[]) AS new (day, state, columns, sha256)
      ON CONFLICT (tenant_id, account_id, day) DO UPDATE SET state = excluded.state, columns = excluded.columns,
        bank_account_id = excluded.bank_account_id, lines_sha256 = excluded.lines_sha256,
        closed_at = CASE WHEN excluded.closed_at IS NULL THEN NULL
          ELSE coalesce(reconciled_day.closed_at, excluded.closed_at) END`,
    values: [
      tenantId,
      account.id,
      account.bank?.accountId ?? null,
      rows.map(({ column }) => column.day),
      rows.map(({ state }) => state),
      rows.map(({ column }) => JSON.stringify(column, (_, value: unknown) => textOf(value))),
      rows.map(({ sha256 }) => sha256),
      now,
    ],
  });
}

async function findColumns(
  { pool }: Environment,
  tenantId: string,
  accountId: string,
  day: string,
): Promise<DayColumns | undefined> {
  const { rows } = await pool.query<{ columns: StoredColumns }>({
    name: "columns of a day",
    text: `SELECT columns FROM reconciled_day WHERE tenant_id = $1 AND account_id = $2 AND day = $3`,
    values: [tenantId, accountId, day],
  });
  return rows[0] && readColumns(rows[0].columns);
}

type StoredColumn = Readonly<Record<keyof Column, string>> & { readonly statedMinor: string | null };

/** Columns as JSON, in which amounts are texts. */
export interface StoredColumns extends Pick<DayColumns, "accountId" | "day"> {
  readonly ours: StoredColumn;
  readonly theirs: StoredColumn;
  readonly bank: StoredColumn | null;
}

export function readColumns({ accountId, day, ours, theirs, bank }: StoredColumns): DayColumns {
  return {
    accountId,
    day,
    ours: readColumn(ours),
    theirs: readColumn(theirs),
    bank: bank && readColumn(bank),
  };
}

function readColumn(column: StoredColumn): Column {
  return {
    openingMinor: BigInt(column.openingMinor),
    inMinor: BigInt(column.inMinor),
    feesMinor: BigInt(column.feesMinor),
    returnsMinor: BigInt(column.returnsMinor),
    outMinor: BigInt(column.outMinor),
    closingMinor: BigInt(column.closingMinor),
    statedMinor: column.statedMinor === null ? null : BigInt(column.statedMinor),
  };
}

function closingsOf({ accountId, ours, theirs, bank }: DayColumns, begun: Balances): Balances {
  return {
    accountId,
    oursMinor: ours.closingMinor,
    theirsMinor: theirs.closingMinor,
    bankMinor: bank?.closingMinor ?? begun.bankMinor,
  };
}

function textOf(value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function next(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
}

function eve(day: string): string {
  return Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
}

function maxOf(one: string, other: string): string {
  return one > other ? one : other;
}
