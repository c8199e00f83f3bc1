import type { IncomingHttpHeaders } from "node:http";
import { webAddress } from "../../../contract/web-address.ts";

// The maximum time of a timer. A longer one would end at once.
const TIMER_MS_MAX = 2 ** 31 - 1;
const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000001,
};

/** Removes a deadline from the headers if it is too far away for a timer: it has the effect of none. */
export function forgetFarDeadlines(headers: IncomingHttpHeaders): void {
  const [, count = "0", unit = "m"] = /^(\d{1,8})([HMSmun])$/.exec(String(headers["grpc-timeout"])) ?? [];
  if (Number(count) * (UNIT_MS[unit] ?? 0) > TIMER_MS_MAX) delete headers["grpc-timeout"];
  if (Number(headers["connect-timeout-ms"]) > TIMER_MS_MAX) delete headers["connect-timeout-ms"];
}

/** Returns true if the request's host is valid in a URL. */
export function hasUsableHost(headers: IncomingHttpHeaders): boolean {
  return webAddress(`http://${String(headers[":authority"] ?? headers.host ?? "localhost")}/`) !== null;
}
