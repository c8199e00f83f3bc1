import type { Environment } from "../platform/database.ts";
import type { DaySealRow } from "./entities.ts";
import { toPayment } from "./mapping.ts";
import { paymentPages } from "./payment-search.ts";
import { dayPeriod } from "../platform/period.ts";
import { isSameRow } from "./seal-format.ts";
import { sealedChunks } from "./sealed-rows.ts";
import type { WritePayment } from "./sealing.ts";

export type SealDeltaKind = "changed" | "new" | "gone";

/** A payment that is not as it was sealed, with its rows of then and of now. */
export interface SealDelta {
  readonly paymentId: string;
  readonly kind: SealDeltaKind;
  readonly sealedRow: string | undefined;
  readonly currentRow: string | undefined;
}

/** A row, and what it is ordered by. */
interface PlacedRow {
  readonly id: string;
  readonly createdAt: number;
  readonly text: string;
}

const PAGE = 500;

/** What is not as it was sealed, newest payment first. Both sides are read side by side, a page of each in memory. */
export async function* sealDeltas(
  environment: Environment,
  seal: DaySealRow,
  writePayment: WritePayment,
): AsyncGenerator<SealDelta> {
  const sealedRows = readSealed(environment, seal);
  const currentRows = readCurrent(environment, seal, writePayment);
  let [sealed, current] = [await following(sealedRows), await following(currentRows)];
  while (sealed || current) {
    const order = orderOf(sealed, current);
    if (sealed && current && order === 0) {
      if (!isSameRow(seal.formatVersion, sealed.text, current.text)) yield delta("changed", sealed, current);
    } else if (order < 0) yield delta("gone", sealed, undefined);
    else yield delta("new", undefined, current);
    [sealed, current] = [
      order <= 0 ? await following(sealedRows) : sealed,
      order >= 0 ? await following(currentRows) : current,
    ];
  }
}

function delta(
  kind: SealDeltaKind,
  sealed: PlacedRow | undefined,
  current: PlacedRow | undefined,
): SealDelta {
  const paymentId = (sealed ?? current)?.id ?? "";
  return { paymentId, kind, sealedRow: sealed?.text, currentRow: current?.text };
}

async function* readSealed(environment: Environment, seal: DaySealRow): AsyncGenerator<PlacedRow> {
  for await (const { bytes } of sealedChunks(environment, seal)) {
    for (const text of Buffer.from(bytes).toString().split("\n")) {
      if (text === "") continue;
      const { id, created_at: createdAt } = JSON.parse(text) as { id: string; created_at: number };
      yield { id, createdAt, text };
    }
  }
}

async function* readCurrent(
  { pool }: Environment,
  { tenantId, day }: DaySealRow,
  writePayment: WritePayment,
): AsyncGenerator<PlacedRow> {
  for await (const page of paymentPages(pool, tenantId, { period: dayPeriod("day", day) }, PAGE)) {
    for (const row of page) {
      yield { id: row.id, createdAt: row.createdAt, text: writePayment(toPayment(row)) };
    }
  }
}

async function following(rows: AsyncGenerator<PlacedRow>): Promise<PlacedRow | undefined> {
  const { value, done } = await rows.next();
  return done === true ? undefined : value;
}

/** Below 0: the first comes earlier in the API's order, or is alone. */
function orderOf(first: PlacedRow | undefined, second: PlacedRow | undefined): number {
  if (!first || !second) return first ? -1 : 1;
  if (first.createdAt !== second.createdAt) return second.createdAt - first.createdAt;
  if (first.id === second.id) return 0;
  return first.id > second.id ? -1 : 1;
}
