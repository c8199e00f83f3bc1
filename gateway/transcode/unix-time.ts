import { create } from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidRequest } from "./errors.ts";

// The last second of the year 9999, protobuf's latest.
const LATEST = 253_402_300_799;

/** Returns the instant of a Unix time. Error: invalid_request on `param`. */
export function secondsToTime(seconds: number, param: string): Timestamp {
  if (seconds < 0 || seconds > LATEST) {
    throw invalidRequest(param, `${param} must be a Unix time in seconds, 0 to ${LATEST}.`);
  }
  return create(TimestampSchema, { seconds: BigInt(seconds) });
}
