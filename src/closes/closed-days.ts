import type { Environment } from "../platform/db/database.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { calendarDay } from "../platform/time/period.ts";
import { DaySeal, type DaySealRow } from "./entities.ts";
import { findSeal } from "./sealing.ts";

/** Days, both inclusive, as YYYY-MM-DD; undefined: no bound. */
interface DaySpan {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** Returns the span of days. Error: invalid_request on from or to. */
export function closedSpan(from: string | undefined, to: string | undefined): DaySpan {
  const first = from === undefined ? undefined : calendarDay("from", from).toString();
  const last = to === undefined ? undefined : calendarDay("to", to).toString();
  if (first !== undefined && last !== undefined && first > last) {
    throw invalidRequest("from", "from must not be after to.");
  }
  return { first, last };
}

/** Returns the day if it is a closed one. Error: invalid_request on starting_after. */
export async function findClosedDay(
  environment: Environment,
  tenantId: string,
  day: string,
): Promise<string | undefined> {
  if (!DAY.test(day)) return undefined;
  const known = calendarDay("starting_after", day).toString();
  return (await findSeal(environment, tenantId, known))?.day;
}

/** Returns at most `limit` seals of days in the span, the latest first, starting after the day `after`. */
export async function listClosed(
  { orm }: Environment,
  tenantId: string,
  { first, last }: DaySpan,
  limit: number,
  after?: string,
): Promise<DaySealRow[]> {
  const day = {
    ...(first === undefined ? {} : { $gte: first }),
    ...(last === undefined ? {} : { $lte: last }),
    ...(after === undefined ? {} : { $lt: after }),
  };
  const where = Object.keys(day).length === 0 ? { tenantId } : { tenantId, day };
  return await orm.em.fork().find(DaySeal, where, { orderBy: { day: "desc" }, limit });
}
