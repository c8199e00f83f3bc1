import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  AccountDaySchema,
  ColumnSchema,
  DaySummarySchema,
  DifferenceKind,
  StatementDaySchema,
  type Column as ColumnMessage,
  type ReconciliationService,
  type StatementDay,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { calendarDay, periodWithin } from "../platform/time/period.ts";
import { readColumns, type DayState, type StoredColumns } from "./closed-days.ts";
import { findDayDifferences } from "./day-differences.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { dateOf, msOf } from "./times.ts";
import { states } from "./mapping.ts";
import type { Column } from "./matching/day-columns.ts";

const DAYS_MAX = 62;
/** The worst first. */
const ORDER: readonly DayState[] = ["differs", "open", "explained", "even"];

/** What is explained, or is no fault yet. */
const SETTLED: ReadonlySet<DifferenceKind> = new Set([DifferenceKind.IN_TRANSIT, DifferenceKind.DECIDED]);

type Rpcs = Pick<ServiceImpl<typeof ReconciliationService>, "getReconciledDay" | "listReconciledDays">;

/** The RPCs of reconciled days. */
export function dayRpcs({ operations }: ReconciliationDeps): Rpcs {
  return {
    getReconciledDay: operations.run(async ({ day }, { tenantId, environment }) => {
      calendarDay("day", day);
      const days = await findDays(environment, tenantId, day);
      const statements = await findStatements(environment, tenantId, day);
      const differences = await findDayDifferences(environment, tenantId, day);
      const unowned = differences.get("")?.differences ?? [];
      const accounts = days.map((row) => {
        const { ours, theirs, bank } = readColumns(row.columns);
        const own = differences.get(row.accountId);
        return create(AccountDaySchema, {
          accountId: row.accountId,
          state: states.numbers[row.state],
          ours: toColumn(ours),
          theirs: toColumn(theirs),
          bank: bank ? toColumn(bank) : undefined,
          bankAccountId: row.bankAccountId ?? undefined,
          statement: statements.get(row.accountId),
          differences: [...(own?.differences ?? [])],
          differenceCount: own?.count ?? 0,
          closedAt: stampOf(dateOf(row.closedMs)),
        });
      });
      const all: DayState[] = [
        ...days.map(({ state }) => state),
        ...(unowned.some(({ kind }) => !SETTLED.has(kind)) ? ["differs" as const] : []),
      ];
      return { day, state: states.numbers[worst(all)], accounts, differences: [...unowned] };
    }),
    listReconciledDays: operations.run(async ({ from, to }, { tenantId, environment }) => {
      periodWithin(from, to, DAYS_MAX);
      const rows = await findSummaries(environment, tenantId, from, to);
      return {
        days: rows.map(({ day, states: found, columns, minor, count, accountIds }) => {
          const sums = columns.map((stored) => readColumns(stored).theirs);
          const sumOf = (read: (column: Column) => bigint): bigint =>
            sums.reduce((sum, column) => sum + read(column), 0n);
          const [gross, fees] = [sumOf(({ inMinor }) => inMinor), sumOf(({ feesMinor }) => feesMinor)];
          return create(DaySummarySchema, {
            day,
            state: states.numbers[worst(found)],
            gross,
            fees,
            net: gross + fees + sumOf(({ returnsMinor }) => returnsMinor),
            difference: BigInt(minor),
            differenceCount: count,
            accountIds: [...accountIds],
          });
        }),
      };
    }),
  };
}

function worst(found: readonly DayState[]): DayState {
  return ORDER.find((state) => found.includes(state)) ?? "open";
}

interface FoundDay {
  readonly accountId: string;
  readonly state: DayState;
  readonly columns: StoredColumns;
  readonly bankAccountId: string | null;
  readonly closedMs: string | null;
}

async function findDays({ pool }: Environment, tenantId: string, day: string): Promise<FoundDay[]> {
  const { rows } = await pool.query<FoundDay>({
    name: "accounts of a reconciled day",
    text: `SELECT account_id AS "accountId", state, columns, bank_account_id AS "bankAccountId", ${msOf("closed_at")} AS "closedMs"
      FROM reconciled_day WHERE tenant_id = $1 AND day = $2 ORDER BY account_id`,
    values: [tenantId, day],
  });
  return rows;
}

async function findStatements(
  { pool }: Environment,
  tenantId: string,
  day: string,
): Promise<ReadonlyMap<string, StatementDay>> {
  const { rows } = await pool.query<{
    accountId: string;
    isComplete: boolean;
    opening: string | null;
    closing: string | null;
    lineCount: number;
    linesMinor: string;
    linesSha256: string;
    readMs: string | null;
    fault: string | null;
  }>({
    name: "statements of a day",
    text: `SELECT account_id AS "accountId", is_complete AS "isComplete", opening_minor::text AS opening,
        closing_minor::text AS closing, line_count AS "lineCount", lines_minor::text AS "linesMinor",
        lines_sha256 AS "linesSha256", ${msOf("read_at")} AS "readMs", fault
      FROM statement_day WHERE tenant_id = $1 AND day = $2`,
    values: [tenantId, day],
  });
  return new Map(
    rows.map(
      ({ accountId, isComplete, opening, closing, lineCount, linesMinor, linesSha256, readMs, fault }) => [
        accountId,
        create(StatementDaySchema, {
          isComplete,
          opening: opening === null ? undefined : BigInt(opening),
          closing: closing === null ? undefined : BigInt(closing),
          lineCount,
          linesSha256,
          carries:
            opening === null || closing === null
              ? undefined
              : BigInt(opening) + BigInt(linesMinor) === BigInt(closing),
          readAt: stampOf(dateOf(readMs)),
          fault: fault ?? undefined,
        }),
      ],
    ),
  );
}

interface FoundSummary {
  readonly day: string;
  readonly states: readonly DayState[];
  readonly columns: readonly StoredColumns[];
  readonly minor: string;
  readonly count: number;
  readonly accountIds: readonly string[];
}

async function findSummaries(
  { pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<FoundSummary[]> {
  const { rows } = await pool.query<FoundSummary>({
    name: "reconciled days",
    text: `WITH differs AS (
        SELECT day, sum(abs(amount_minor)) AS minor, count(*)::int AS count,
          bool_or(account_id IS NULL) AS is_unowned
        FROM reconciliation_difference
        WHERE tenant_id = $1 AND day BETWEEN $2 AND $3 AND kind NOT IN ('in_transit', 'decided') GROUP BY day)
      SELECT own.day::text AS day, CASE WHEN bool_or(differs.is_unowned) THEN json_build_array('differs')
          ELSE json_agg(own.state) END AS states,
        json_agg(own.columns) AS columns, coalesce(max(differs.minor), 0)::text AS minor,
        coalesce(max(differs.count), 0) AS count,
        coalesce(json_agg(own.account_id ORDER BY own.account_id) FILTER (WHERE own.state = 'differs'), '[]')
          AS "accountIds"
      FROM reconciled_day own LEFT JOIN differs ON differs.day = own.day
      WHERE own.tenant_id = $1 AND own.day BETWEEN $2 AND $3 GROUP BY own.day ORDER BY own.day`,
    values: [tenantId, from, to],
  });
  return rows;
}

function toColumn(column: Column): ColumnMessage {
  return create(ColumnSchema, {
    opening: column.openingMinor,
    incoming: column.inMinor,
    fees: column.feesMinor,
    returns: column.returnsMinor,
    outgoing: column.outMinor,
    closing: column.closingMinor,
    stated: column.statedMinor ?? undefined,
  });
}
