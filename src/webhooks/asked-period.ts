import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { openPeriodOf } from "../platform/time/period.ts";
import { dateOf } from "../platform/time/timestamps.ts";

/**
 * Returns the period that a list is asked of, by a time, by days or by both: `since` is inclusive, `until` exclusive. Error:
 * invalid_request on from or to.
 */
export function askedPeriod({
  since,
  from,
  to,
}: {
  readonly since?: Timestamp | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): { readonly since?: Date; readonly until?: Date } {
  const time = since && dateOf(since);
  const days = openPeriodOf(from, to);
  if (!days) return time ? { since: time } : {};
  return { since: time && time > days.from ? time : days.from, until: days.until };
}
