import type { ReceivedIn, ReceivedMoney, ReturnList, Statement } from "../providers/ports.ts";
import type { SweepKind } from "./entities.ts";

const COMPARED_AT_ONCE = 200;

/** What was found in one statement. */
export interface Swept {
  readonly moneyCount: number;
  readonly unknownCount: number;
  /** Parts that were passed over, as the provider refused them or answered for them wrongly. */
  readonly skipped: readonly ReceivedIn[];
}

/** What a sweep has seen so far. */
export class Seen implements Swept {
  moneyCount = 0;
  unknownCount = 0;
  readonly skipped: ReceivedIn[] = [];
  /** Amounts that were registered as unknown. */
  newCount = 0;
  /** True: some were not registered, as there are too many. */
  isFull = false;
}

/** Yields the money of a sweep's period in parts that are compared at once. Throws ProviderFault. */
export async function* readMoney(
  statement: Statement,
  kind: SweepKind,
  period: ReceivedIn,
  signal: AbortSignal,
): AsyncGenerator<ReceivedMoney[]> {
  yield* inChunks(
    kind === "returns" ? statement.returned(period, signal) : statement.received(period, signal),
  );
}

/** Yields the ids of the money that moved back in a period, in parts that are asked about at once. Throws ProviderFault. */
export async function* readReturns(
  list: ReturnList,
  period: ReceivedIn,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  for await (const ids of inChunks(list.movedBack(period, signal))) yield [...new Set(ids)];
}

/** Yields the ids of the money that came in during a period, in such parts. Throws ProviderFault. */
export async function* readCredits(
  list: ReturnList,
  period: ReceivedIn,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  for await (const ids of inChunks(list.cameIn(period, signal))) yield [...new Set(ids)];
}

async function* inChunks<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const one of items) {
    chunk.push(one);
    if (chunk.length < COMPARED_AT_ONCE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
