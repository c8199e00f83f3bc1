import { ProviderFault } from "./provider-fault.ts";

const WORD = /^[\w.-]{1,64}$/;
const NUMBER = /\d(?:\D*\d){12}/;
const ID = /^[!-~]{1,100}$/;

/** A JSON object of a provider's answer. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object: no list, and no value that a reader has made of a number. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns a text, or null if the field is absent, null or empty. Throws ProviderFault if it is of another kind. */
export function optionalText(fields: Fields, field: string): string | null {
  const value = fields[field] ?? "";
  if (typeof value !== "string") throw unreadable(field);
  return value === "" ? null : value;
}

/** Returns a text that is not empty. Throws ProviderFault if the field is no such text. */
export function textOf(fields: Fields, field: string): string {
  return required(optionalText(fields, field), field);
}

/**
 * Returns a code or word of a provider's own, or null for another text: one with spaces is for people and may hold a payer's
 * data, and one with 13 digits may be a card's number.
 */
export function wordIn(value: unknown): string | null {
  return typeof value === "string" && WORD.test(value) && !NUMBER.test(value) ? value : null;
}

/**
 * Returns true for a provider's own id, in whatever form: up to 100 visible characters of ASCII. An address leaves out a step
 * of dots alone, so that it is no id.
 */
export function isProviderId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value) && value !== "." && value !== "..";
}

/** Returns the rows of a list; none if the field is absent or null. Throws ProviderFault if it is no list of objects. */
export function rowsOf(fields: Fields, field: string): Fields[] {
  const value = fields[field] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw unreadable(field);
  return value;
}

/** Returns what must be there. Throws ProviderFault for null. */
export function required<Value>(value: Value | null, field: string): Value {
  if (value === null) throw unreadable(field);
  return value;
}

/** Returns the fault of an answer whose field cannot be read. */
export function unreadable(field: string): ProviderFault {
  return new ProviderFault("unknown", `an answer's ${field} cannot be read`, { code: "unreadable" });
}
