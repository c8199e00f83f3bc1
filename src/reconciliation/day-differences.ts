import { create } from "@bufbuild/protobuf";
import { DifferenceSchema, type Difference } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { findLines, findLinesOfMatches, type FoundLine } from "./line-keys.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { differenceKinds, legs } from "./mapping.ts";
import type { DifferenceKind, Leg } from "./matching/lines.ts";
import { inOrder, LINES_SHOWN, toLine } from "./shown-lines.ts";
import { dateOf, msOf } from "./times.ts";

// Of an account and a day. More of them are counted.
const DIFFERENCES_SHOWN = 100;

interface FoundDifference {
  readonly leg: Leg;
  readonly kind: DifferenceKind;
  readonly day: string;
  readonly accountId: string | null;
  readonly minor: string;
  readonly expected: string | null;
  readonly charged: string | null;
  readonly dueOn: string | null;
  readonly matchId: string | null;
  readonly decisionId: string | null;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  /** Unix milliseconds. */
  readonly decidedMs: string | null;
  readonly lineKeys: readonly string[] | null;
  readonly count: number;
}

/** The differences of an account on a day: the greatest first, and how many there are. */
export interface DayDifferences {
  readonly differences: readonly Difference[];
  readonly count: number;
}

/** Returns the differences of a day by account; "": those of no account. What is explained or in transit comes last. */
export async function findDayDifferences(
  environment: Environment,
  tenantId: string,
  day: string,
): Promise<ReadonlyMap<string, DayDifferences>> {
  const { rows } = await environment.pool.query<FoundDifference>({
    name: "differences of a day",
    text: `SELECT * FROM (
        SELECT d.leg, d.kind, d.day::text AS day, d.account_id AS "accountId", d.amount_minor::text AS minor,
          d.fee_expected_minor::text AS expected, d.fee_charged_minor::text AS charged, d.due_on::text AS "dueOn",
          d.match_id AS "matchId", m.decision_id AS "decisionId", c.reason, c.made_by AS "decidedBy",
          ${msOf("c.made_at")} AS "decidedMs", d.line_keys AS "lineKeys",
          count(*) OVER (PARTITION BY d.account_id)::int AS count,
          row_number() OVER (PARTITION BY d.account_id
            ORDER BY d.kind = 'in_transit', d.kind = 'decided', abs(d.amount_minor) DESC, d.id) AS place
        FROM reconciliation_difference d
        LEFT JOIN reconciliation_match m ON m.tenant_id = d.tenant_id AND m.id = d.match_id
        LEFT JOIN reconciliation_decision c ON c.tenant_id = d.tenant_id AND c.id = m.decision_id
        WHERE d.tenant_id = $1 AND d.day = $2) AS found
      WHERE place <= ${DIFFERENCES_SHOWN} ORDER BY "accountId", place`,
    values: [tenantId, day],
  });
  const keys = rows.flatMap(({ lineKeys }) => lineKeys?.slice(0, LINES_SHOWN) ?? []);
  const open = new Map((await findLines(environment, tenantId, keys)).map((line) => [line.key, line]));
  const matchIds = rows.flatMap(({ matchId }) => matchId ?? []);
  const matched = await findLinesOfMatches(environment, tenantId, matchIds);
  const linesOf = ({ matchId, leg, lineKeys }: FoundDifference): FoundLine[] =>
    matchId === null
      ? (lineKeys ?? []).flatMap((key) => open.get(key) ?? [])
      : matched.filter((line) => (leg === "books" ? line.booksMatchId : line.bankMatchId) === matchId);
  return new Map(
    [...Map.groupBy(rows, ({ accountId }) => accountId ?? "")].map(([accountId, own]) => [
      accountId,
      { differences: own.map((row) => toDifference(row, linesOf(row))), count: own[0]?.count ?? 0 },
    ]),
  );
}

function toDifference(row: FoundDifference, lines: readonly FoundLine[]): Difference {
  return create(DifferenceSchema, {
    leg: legs.numbers[row.leg],
    kind: differenceKinds.numbers[row.kind],
    day: row.day,
    accountId: row.accountId ?? undefined,
    amount: BigInt(row.minor),
    feeExpected: optional(row.expected),
    feeCharged: optional(row.charged),
    dueOn: row.dueOn ?? undefined,
    reason: row.reason ?? undefined,
    matchId: row.matchId ?? undefined,
    decisionId: row.decisionId ?? undefined,
    decidedBy: row.decidedBy ?? undefined,
    decidedAt: stampOf(dateOf(row.decidedMs)),
    lines: inOrder(lines).slice(0, LINES_SHOWN).map(toLine),
    lineCount: row.lineKeys?.length ?? lines.length,
  });
}

function optional(minor: string | null): bigint | undefined {
  return minor === null ? undefined : BigInt(minor);
}
