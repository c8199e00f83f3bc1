import { isObject, isProviderId, optionalText, unreadable, type Fields } from "../answer-fields.ts";

/** Returns an id, in whatever form; a number's digits. Throws ProviderFault. */
export function idIn(fields: Fields, field: string): string {
  const id = idOrNull(fields, field);
  if (id === null) throw unreadable(field);
  return id;
}

/** Like `idIn`; null for a field that has none. */
export function idOrNull(fields: Fields, field: string): string | null {
  const value = fields[field];
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return isProviderId(text) ? text : null;
}

/** Returns a whole number of centavos, or null if the field is absent or null. Throws ProviderFault. */
export function minorIn(fields: Fields, field: string): bigint | null {
  const value = fields[field] ?? null;
  if (value === null) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw unreadable(field);
  return BigInt(value);
}

/** Returns a time, or null if the field is absent or null. Throws ProviderFault for a text that names no instant. */
export function timeIn(fields: Fields, field: string): Date | null {
  const text = optionalText(fields, field);
  if (text === null) return null;
  // Some of its times have no zone, and are UTC all the same.
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time.getTime())) throw unreadable(field);
  return time;
}

/** Returns a day, YYYY-MM-DD, or null if the field is absent or null. Throws ProviderFault for a text that names none. */
export function dayIn(fields: Fields, field: string): string | null {
  // A day is written as its midnight, in UTC or in São Paulo: both have its date in UTC.
  return timeIn(fields, field)?.toISOString().slice(0, "2026-01-01".length) ?? null;
}

/** Returns an object, or null if the field is absent or null. Throws ProviderFault. */
export function objectOf(fields: Fields, field: string): Fields | null {
  const value = fields[field] ?? null;
  if (value !== null && !isObject(value)) throw unreadable(field);
  return value;
}
