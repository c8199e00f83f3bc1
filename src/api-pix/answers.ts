import { ProviderFault } from "../providers/provider-fault.ts";
import type { Answer } from "./connection.ts";

/** A JSON object of an answer. */
export type Fields = Readonly<Record<string, unknown>>;

const TOO_MANY = 429;
const UNAVAILABLE = 503;
const RETRY_AFTER_SECONDS_MAX = 3600;

/** Returns an answer's JSON object, or undefined for another text or none. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fault of an answer whose field cannot be read. */
export function unreadable(field: string): ProviderFault {
  return new ProviderFault("unknown", `an answer's ${field} cannot be read`, { code: "unreadable" });
}

/** Returns the fault that a refusal means. */
export function refusalOf({ status, headers, text }: Answer, what: string, now: Date): ProviderFault {
  const code = errorCodeIn(text);
  const message = `${what} was answered with ${status}${code === null ? "" : ` ${code}`}`;
  const retryAfterSeconds = retryAfterOf(headers["retry-after"], now);
  if (status === TOO_MANY || (status === UNAVAILABLE && retryAfterSeconds !== null)) {
    // A front without time may have passed the request on.
    const isUndone = status === TOO_MANY;
    return new ProviderFault("busy", message, { code, retryAfterSeconds, isUndone });
  }
  if (status === 401 || status === 403)
    return new ProviderFault("misconfigured", message, { code, isUndone: true });
  const isDefinite = status >= 400 && status < 500 && status !== 408;
  return new ProviderFault(isDefinite ? "refused" : "unknown", message, { code });
}

/**
 * Returns the name of an error: the last part of RFC 7807's `type`, or a bank's own code. Free texts are left out, as
 * they may hold a payer's data.
 */
function errorCodeIn(text: string): string | null {
  const fields = objectIn(text);
  if (!fields) return null;
  const { type, error, erros, errors } = fields;
  const [first]: unknown[] = [erros, errors].find((one) => Array.isArray(one)) ?? [];
  const own = isObject(first) ? (first["codigo"] ?? first["code"]) : error;
  const name = typeof type === "string" ? type.split("/").at(-1) : own;
  return typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : null;
}

/** Returns the seconds of a Retry-After header, an hour at most, or null if it has none. */
function retryAfterOf(value: string | string[] | undefined, now: Date): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Math.min(Number(text), RETRY_AFTER_SECONDS_MAX);
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(0, Math.ceil((at - now.getTime()) / 1000)), RETRY_AFTER_SECONDS_MAX);
}
