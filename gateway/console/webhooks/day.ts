import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";

// São Paulo keeps no summer time.
const OFFSET = "-03:00";

/** When a day of São Paulo begins; undefined when the text is no day of this millennium, "2026-11-21". */
export function beginningOf(day: string): Timestamp | undefined {
  if (!/^2\d{3}-\d\d-\d\d$/.test(day)) return undefined;
  const beginning = new Date(`${day}T00:00:00${OFFSET}`);
  return Number.isNaN(beginning.getTime()) ? undefined : timestampFromDate(beginning);
}
