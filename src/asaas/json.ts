import { ProviderFault } from "../providers/provider-fault.ts";

/** A JSON object of an answer. Its numbers are `NumberText`. */
export type Fields = Readonly<Record<string, unknown>>;

/** A number as it is written: an amount must not become a binary fraction. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const REAIS = /^(\d{1,13})(?:\.(\d{1,2})0*)?$/;

/** Returns an answer's JSON object, or undefined for another text or none. */
export function fieldsIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text, (_key, one: unknown, context?: { source?: string }) =>
      typeof one === "number" ? new NumberText(context?.source ?? "") : one,
    );
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** Returns the centavos of an amount in reais. Throws ProviderFault if the field is no amount. */
export function minorOf(fields: Fields, field: string): bigint {
  const value = fields[field];
  const [, whole, decimals = ""] = value instanceof NumberText ? (REAIS.exec(value.text) ?? []) : [];
  if (whole === undefined) throw unreadable(field);
  return BigInt(whole + decimals.padEnd(2, "0"));
}

/** Returns a whole number, or null if the field is absent or null. Throws ProviderFault if it is something else. */
export function wholeOf(fields: Fields, field: string): number | null {
  const value = fields[field] ?? null;
  if (value === null) return null;
  if (value instanceof NumberText && /^\d{1,9}$/.test(value.text)) return Number(value.text);
  throw unreadable(field);
}

/** Returns centavos as a JSON number of reais with two decimals. */
export function reais(minor: bigint): object {
  const digits = String(minor).padStart(3, "0");
  return JSON.rawJSON(`${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Returns a text that is not empty. Throws ProviderFault if the field is no such text. */
export function textOf(fields: Fields, field: string): string {
  const text = optionalText(fields, field);
  if (text === null) throw unreadable(field);
  return text;
}

/** Returns a text, or null if the field is absent, null or empty. Throws ProviderFault if it is of another kind. */
export function optionalText(fields: Fields, field: string): string | null {
  const value = fields[field] ?? "";
  if (typeof value !== "string") throw unreadable(field);
  return value === "" ? null : value;
}

/** Returns the rows of a list; none if the field is absent or null. Throws ProviderFault if it is no list of objects. */
export function rowsOf(fields: Fields, field: string): Fields[] {
  const value = fields[field] ?? [];
  if (!Array.isArray(value) || !value.every(isFields)) throw unreadable(field);
  return value;
}

/** Returns the fault of an answer whose field cannot be read. */
export function unreadable(field: string): ProviderFault {
  return new ProviderFault("unknown", `an answer's ${field} cannot be read`, { code: "unreadable" });
}
