import { METHODS } from "node:http";
import { idPattern } from "../../contract/ids.ts";
import { loggedError } from "./log-error.ts";
import { Notice } from "./notice.ts";

type Check = (value: unknown) => unknown;

const ID = new RegExp(idPattern());
const RATE = /^\d{1,12}\.\d{6}$/;
const IDS_MAX = 20;
const VERBS: ReadonlySet<unknown> = new Set(METHODS);
const MODES: ReadonlySet<unknown> = new Set(["live", "test"]);

/**
 * Every field that a log line may have, with the check of its value. Other fields, and values that fail the check, are
 * left out.
 */
const FIELDS: Readonly<Record<string, Check>> = {
  request_id: text(new RegExp(idPattern("req"))),
  tenant: text(new RegExp(idPattern("ten"))),
  // The token's id. Its plaintext never gets here.
  core_token: text(new RegExp(idPattern("ctk"))),
  // Of a merchant's key its id, and the refused field by the contract's own name.
  api_key: text(new RegExp(idPattern("key"))),
  param: text(/^[a-z][a-z0-9_]{0,60}$/),
  mode: (value) => (MODES.has(value) ? value : undefined),
  // A route's template, never the requested address.
  route: text(/^(?:\/:?[a-z0-9_]+)+$/i),
  verb: (value) => (VERBS.has(value) ? value : undefined),
  status: whole(100, 599),
  outcome: text(/^[a-z_]{1,40}$/),
  duration_ms: (value) =>
    typeof value === "number" && value >= 0 ? Math.round(value * 100) / 100 : undefined,
  rpc: text(/^paylink\.[a-z]+\.v1\.[A-Za-z]+\/[A-Za-z]+$/),
  trace_id: text(/^[0-9a-f]{32}$/),
  payment_id: text(new RegExp(idPattern("pay"))),
  payment_ids: ids,
  // Of a charge at its provider: the payment's id without the sign in it.
  reference: text(new RegExp(idPattern("pay").replace("_", ""))),
  refund_id: text(new RegExp(idPattern("ref"))),
  account_id: text(new RegExp(idPattern("pac"))),
  codes: words,
  // A source of rates, the code of its failure, and a rate with its bulletin.
  source: text(/^[a-z]{1,20}$/),
  code: text(/^[a-z0-9_]{1,60}$/),
  fx_spot_id: text(new RegExp(idPattern("fxs"))),
  spot: text(RATE),
  last_spot: text(RATE),
  bulletin: text(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/),
  count: whole(0, Number.MAX_SAFE_INTEGER),
  // Between two clocks.
  seconds: whole(-86_400, 86_400),
  // Of a statement, as ranges.
  days: text(/^[\d– ,-]{10,2000}$/),
  // The seat of a process behind a shared port.
  sibling: whole(1, 1000),
  role: text(/^[a-z]{1,10}$/),
  listener: text(/^[a-z0-9_]{1,20}$/),
  address: text(/^https?:\/\/[\w.:[\]-]{1,80}$/),
  signal: text(/^SIG[A-Z]{1,10}$/),
  notice: (value) => (value instanceof Notice ? value.text : undefined),
  err: loggedError,
};

/** Returns the fields that may be logged and whose values pass the check. */
export function allowedFields(given: unknown): Record<string, unknown> {
  if (given instanceof Error) return { err: loggedError(given) };
  const allowed: Record<string, unknown> = {};
  if (typeof given !== "object" || given === null) return allowed;
  for (const name in given) {
    const check = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    const value = check?.((given as Record<string, unknown>)[name]);
    if (value !== undefined) allowed[name] = value;
  }
  return allowed;
}

function text(shape: RegExp): Check {
  return (value) => (typeof value === "string" && shape.test(value) ? value : undefined);
}

function whole(low: number, high: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high ? value : undefined;
}

function ids(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.filter((id) => typeof id === "string" && ID.test(id)).slice(0, IDS_MAX);
}

function words(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.filter((word) => typeof word === "string" && /^[a-z_]{1,40}$/.test(word)).slice(0, IDS_MAX);
}
