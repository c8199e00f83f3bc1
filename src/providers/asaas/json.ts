import { isObject as isFields, unreadable, type Fields } from "../answer-fields.ts";

// Numbers in the fields of an answer are `NumberText` here.
export { optionalText, rowsOf, textOf } from "../answer-fields.ts";
export { isFields, unreadable, type Fields };

/** A number as it is written: an amount must not become a binary fraction. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** It is written as it was. */
  toJSON(): unknown {
    return JSON.rawJSON(this.text);
  }
}

const REAIS = /^(-?)(\d{1,13})(?:\.(\d{1,2})0*)?$/;

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

/** Returns the centavos of an amount in reais. Throws ProviderFault if the field is no amount, or is below 0. */
export function minorOf(fields: Fields, field: string): bigint {
  const value = fields[field];
  if (value instanceof NumberText && value.text.startsWith("-")) throw unreadable(field);
  return signedMinorOf(fields, field);
}

/** Returns the centavos of an amount in reais, which may be below 0. Throws ProviderFault if the field is no amount. */
export function signedMinorOf(fields: Fields, field: string): bigint {
  const value = fields[field];
  const [, sign = "", whole, decimals = ""] =
    value instanceof NumberText ? (REAIS.exec(value.text) ?? []) : [];
  if (whole === undefined) throw unreadable(field);
  const minor = BigInt(whole + decimals.padEnd(2, "0"));
  return sign === "" ? minor : -minor;
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
