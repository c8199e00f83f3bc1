import { setImmediate as turn } from "node:timers/promises";
import { type SealDeltaKind as KindEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { Environment } from "../platform/db/database.ts";
import type { DaySealRow } from "./entities.ts";
import { toPayment } from "../ledger/mapping.ts";
import { paymentPages } from "../ledger/payment-search.ts";
import { dayPeriod } from "../platform/time/period.ts";
import type { Place } from "./seal-cursor.ts";
import { isSameRow } from "./seal-format.ts";
import { sealedChunks } from "./sealed-rows.ts";
import type { WritePayment } from "./sealing.ts";

type SealDeltaKind = WordOf<typeof KindEnum>;

/** A payment that differs from its sealed row, with its sealed and its current row. */
export interface SealDelta {
  readonly paymentId: string;
  readonly kind: SealDeltaKind;
  readonly sealedRow: string | undefined;
  readonly currentRow: string | undefined;
  /** The place after which the next delta starts. */
  readonly place: Place;
}

/** A row with its place in the order. Its position is its chunk's, or 0 for a current row. */
interface PlacedRow extends Place {
  readonly text: string;
}

const PAGE = 500;
// After as much, everything else of the process has its turn.
const CHARACTERS_AT_ONCE = 512 * 1024;

/**
 * Yields the payments that differ from their sealed rows, newest first, starting after a place if given. It merges both
 * sides, with a page of each in memory.
 */
export async function* sealDeltas(
  environment: Environment,
  seal: DaySealRow,
  writePayment: WritePayment,
  begin?: Place,
): AsyncGenerator<SealDelta> {
  const sealedRows = readSealed(environment, seal, begin);
  const currentRows = readCurrent(environment, seal, writePayment, begin);
  let [sealed, current] = [await following(sealedRows), await following(currentRows)];
  let characters = 0;
  while (sealed || current) {
    characters += (sealed?.text.length ?? 0) + (current?.text.length ?? 0);
    if (characters > CHARACTERS_AT_ONCE) {
      await turn();
      characters = 0;
    }
    const order = orderOf(sealed, current);
    const position = sealed?.position ?? seal.paymentCount;
    if (sealed && current && order === 0) {
      if (!isSameRow(seal.formatVersion, sealed.text, current.text)) {
        yield delta("changed", position, sealed, current);
      }
    } else if (order < 0) yield delta("gone", position, sealed, undefined);
    else yield delta("new", position, undefined, current);
    [sealed, current] = [
      order <= 0 ? await following(sealedRows) : sealed,
      order >= 0 ? await following(currentRows) : current,
    ];
  }
}

function delta(
  kind: SealDeltaKind,
  position: bigint,
  sealed: PlacedRow | undefined,
  current: PlacedRow | undefined,
): SealDelta {
  const { id: paymentId = "", createdAt = 0 } = sealed ?? current ?? {};
  const place = { createdAt, id: paymentId, position };
  return { paymentId, kind, sealedRow: sealed?.text, currentRow: current?.text, place };
}

async function* readSealed(
  environment: Environment,
  seal: DaySealRow,
  begin: Place | undefined,
): AsyncGenerator<PlacedRow> {
  let position = begin?.position ?? 0n;
  for await (const { bytes, rowCount } of sealedChunks(environment, seal, position)) {
    for (const text of Buffer.from(bytes).toString().split("\n")) {
      if (text === "") continue;
      const { id, created_at: createdAt } = JSON.parse(text) as { id: string; created_at: number };
      const row = { id, createdAt, position, text };
      if (!begin || orderOf(begin, row) < 0) yield row;
    }
    position += BigInt(rowCount);
  }
}

async function* readCurrent(
  { pool }: Environment,
  { tenantId, day }: DaySealRow,
  writePayment: WritePayment,
  begin: Place | undefined,
): AsyncGenerator<PlacedRow> {
  const after = begin && { createdAt: new Date(begin.createdAt * 1000), id: begin.id };
  for await (const page of paymentPages(pool, tenantId, { period: dayPeriod("day", day) }, PAGE, after)) {
    for (const row of page) {
      const text = writePayment(toPayment(row));
      yield { id: row.id, createdAt: row.createdAt, position: 0n, text };
    }
  }
}

async function following(rows: AsyncGenerator<PlacedRow>): Promise<PlacedRow | undefined> {
  const { value, done } = await rows.next();
  return done === true ? undefined : value;
}

/**
 * Returns a number below 0 if the first comes earlier in the API's order or has no counterpart, 0 if both are the same
 * payment, else a number above 0.
 */
function orderOf(first: Place | undefined, second: Place | undefined): number {
  if (!first || !second) return first ? -1 : 1;
  if (first.createdAt !== second.createdAt) return second.createdAt - first.createdAt;
  if (first.id === second.id) return 0;
  return first.id > second.id ? -1 : 1;
}
