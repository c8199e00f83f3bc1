import type { Call } from "./call.ts";
import type { Decision } from "./decision.ts";
import { Exactly } from "./matching.ts";
import type { CallerName, Payment, World } from "./world.ts";

const LIMIT = 20;
// America/Sao_Paulo, which no longer has a summer time.
const OFFSET_SECONDS = 3 * 3600;
const DAY_SECONDS = 86_400;

/** The bank's day of a moment, YYYY-MM-DD. */
export function dayOf(seconds: number): string {
  return new Date((seconds - OFFSET_SECONDS) * 1000).toISOString().slice(0, 10);
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000 + OFFSET_SECONDS;
}

/** A caller's payments, newest first. */
export function paymentsOf(world: World, caller: CallerName): Payment[] {
  return [...world.payments.values()]
    .filter((payment) => payment.caller === caller)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

export function decideGet(world: World, { caller, id }: Call): Decision {
  const payment = world.payments.get(id);
  if (payment?.caller !== caller) return { refusals: [{ code: "payment_not_found", param: null }] };
  return {
    expected: new Exactly(JSON.parse(payment.text)),
    ids: () => [],
    learn: () => world,
  };
}

export function decideList(world: World, { caller, path, id }: Call): Decision {
  const query = new URL(path, "http://localhost").searchParams;
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const limit = Number(query.get("limit") ?? LIMIT);
  const cursor = id === "" ? undefined : world.payments.get(id);
  const wrong = [
    ...(from > to ? ["from"] : []),
    ...(id !== "" && cursor?.caller !== caller ? ["starting_after"] : []),
  ];
  if (wrong.length > 0) return { refusals: wrong.map((param) => ({ code: "invalid_request", param })) };
  const all = paymentsOf(world, caller);
  const following = cursor ? all.slice(all.findIndex((payment) => payment.id === id) + 1) : all;
  const [first, end] = [startOf(from), startOf(to) + DAY_SECONDS];
  const inPeriod = following.filter(({ createdAt }) => createdAt >= first && createdAt < end);
  const data = inPeriod.slice(0, limit);
  const hasMore = inPeriod.length > data.length;
  return {
    expected: {
      data: data.map(({ text }) => new Exactly(JSON.parse(text))),
      has_more: hasMore,
      next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null,
    },
    ids: () => [],
    learn: () => world,
  };
}
