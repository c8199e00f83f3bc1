export type Fields = Readonly<Record<string, unknown>>;

/** A number of a request as it was written, for 0.1 is no binary fraction. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a JSON object with its numbers as written, or undefined if the text is none. */
export function readFields(text: string): Fields | undefined {
  try {
    const read: unknown = JSON.parse(text, (_key, value: unknown, context?: { source: string }) =>
      typeof value === "number" ? new JsonNumber(context?.source ?? "") : value,
    );
    const isObject = typeof read === "object" && read !== null && !Array.isArray(read);
    return isObject && !(read instanceof JsonNumber) ? (read as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns centavos as a JSON number of reais with two decimals. */
export function reais(minor: bigint): object {
  return JSON.rawJSON(reaisText(minor));
}

export function reaisText(minor: bigint): string {
  const digits = String(minor < 0n ? -minor : minor).padStart(3, "0");
  return `${minor < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns the centavos of a JSON number of reais, or undefined if it is none with at most two decimals. */
export function minorOf(value: unknown): bigint | undefined {
  const [, sign = "", whole = "", decimals = ""] =
    value instanceof JsonNumber ? (/^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(value.text) ?? []) : [];
  if (whole === "") return undefined;
  return BigInt(sign + whole + decimals.padEnd(2, "0"));
}

/** Returns a whole JSON number, or undefined if it is none. */
export function wholeOf(value: unknown): number | undefined {
  return value instanceof JsonNumber && /^-?\d{1,15}$/.test(value.text) ? Number(value.text) : undefined;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function fieldsOf(value: unknown): Fields | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof JsonNumber) ? (value as Fields) : undefined;
}
