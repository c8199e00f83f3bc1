import { ProviderFault } from "./provider-fault.ts";
import { isObject, isProviderId, unreadable, wordIn, type Fields } from "./answer-fields.ts";
import type { Answer } from "./connection.ts";

export { isObject, isProviderId, unreadable, type Fields };

const CONFLICT = 409;
const TOO_EARLY = 425;
const TOO_MANY = 429;
const UNAVAILABLE = 503;
const RETRY_AFTER_SECONDS_MAX = 3600;
const PAUSE_SECONDS = 60;

/** Returns an answer's JSON object, or undefined for another text or none. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the fault that a refusal means. One for too many calls names a pause, the provider's own or a minute. */
export function refusalOf(
  { status, headers, text }: Answer,
  what: string,
  now: Date,
  codeInText?: string | null,
): ProviderFault {
  const code = codeInText ?? errorCodeIn(text);
  const message = `${what} was answered with ${status}${code === null ? "" : ` ${code}`}`;
  const named = retryAfterOf(headers["retry-after"], now);
  const retryAfterSeconds =
    status === TOO_MANY ? (named ?? retryAfterOf(headers["ratelimit-reset"], now) ?? PAUSE_SECONDS) : named;
  if (status === TOO_MANY || (status === UNAVAILABLE && retryAfterSeconds !== null)) {
    // A front without time may have passed the request on.
    const isUndone = status === TOO_MANY;
    return new ProviderFault("busy", message, { code, retryAfterSeconds, isUndone });
  }
  if (status === 401 || status === 403)
    return new ProviderFault("misconfigured", message, { code, isUndone: true });
  const isDefinite = status >= 400 && status < 500 && status !== 408;
  const isConflict = status === CONFLICT || status === TOO_EARLY;
  return new ProviderFault(isDefinite ? "refused" : "unknown", message, { code, isConflict });
}

/**
 * Returns the name of an error: the last part of RFC 7807's `type`, or a bank's own code. Free texts are left out.
 */
export function errorCodeIn(text: string): string | null {
  const fields = objectIn(text);
  if (!fields) return null;
  const { type, error, erros, errors } = fields;
  const [first]: unknown[] = [erros, errors].find((one) => Array.isArray(one)) ?? [];
  const own = isObject(first) ? (first["codigo"] ?? first["code"]) : error;
  const code = typeof type === "string" ? type.split("/").at(-1) : own;
  return wordIn(typeof code === "number" ? String(code) : code);
}

/** Returns the seconds of a header like Retry-After, an hour at most, or null if it has none. */
function retryAfterOf(value: string | string[] | undefined, now: Date): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined) return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), RETRY_AFTER_SECONDS_MAX);
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(0, Math.ceil((at - now.getTime()) / 1000)), RETRY_AFTER_SECONDS_MAX);
}
