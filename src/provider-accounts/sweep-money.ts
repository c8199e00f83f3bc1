import type { ReceivedIn, ReceivedMoney, Statement } from "../providers/ports.ts";
import type { SweepKind } from "./entities.ts";

const COMPARED_AT_ONCE = 200;

/** Yields the money of a sweep's period in parts that are compared at once. Throws ProviderFault. */
export async function* readMoney(
  statement: Statement,
  kind: SweepKind,
  period: ReceivedIn,
  signal: AbortSignal,
): AsyncGenerator<ReceivedMoney[]> {
  const money = kind === "returns" ? statement.returned(period, signal) : statement.received(period, signal);
  let chunk: ReceivedMoney[] = [];
  for await (const one of money) {
    chunk.push(one);
    if (chunk.length < COMPARED_AT_ONCE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
