import { TIME_ZONE } from "../../contract/day.ts";
import { parseRateMicros } from "./rate.ts";

/** A rate that the central bank published. */
export interface Bulletin {
  /** Its time as the answer has it. */
  readonly text: string;
  /** That time in whole seconds, as all times of the service are. */
  readonly publishedAt: Date;
  readonly spotMicros: bigint;
}

/** Why no rate was read: the code for logs and metrics; never the answer's text. */
export class PtaxFault extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

// The bounds of PublishFxRate.
const RATE_MIN_MICROS = 10_000n;
const RATE_MAX_MICROS = 1_000_000_000n;
const TIME_TEXT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/;

/** A number of JSON as the text that it is written with, so that no digit goes through a float. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A reviver's third argument, which TypeScript's library does not have. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Returns the newest bulletin of an answer of CotacaoDolarPeriodo or CotacaoDolarDia, or undefined if it has none. Throws
 * PtaxFault if the answer is anything else, or the newest rate is none.
 */
export function newestBulletin(answer: string): Bulletin | undefined {
  const rows = rowsIn(answer).map((row) => ({ row, ...timeIn(row) }));
  const newest = rows.reduce<(typeof rows)[number] | undefined>(
    (best, one) => (best && best.publishedAt >= one.publishedAt ? best : one),
    undefined,
  );
  if (!newest) return undefined;
  const { row, text, publishedAt } = newest;
  return { text, publishedAt, spotMicros: rateIn(row) };
}

function rowsIn(answer: string): readonly Readonly<Record<string, unknown>>[] {
  let body: unknown;
  try {
    body = parse(answer);
  } catch (error) {
    throw new PtaxFault("no_json", "the answer is no JSON", error);
  }
  const rows = isObject(body) ? body["value"] : undefined;
  if (!Array.isArray(rows) || !rows.every(isObject)) {
    throw new PtaxFault("no_bulletins", "the answer has no list of bulletins");
  }
  return rows;
}

const keepText: Reviver = (_key, value, { source }) =>
  typeof value === "number" ? new NumberText(source ?? "") : value;

function parse(text: string): unknown {
  return JSON.parse(text, keepText as Parameters<typeof JSON.parse>[1]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** The answer's times are those of São Paulo, without a zone and with any number of decimals. */
function timeIn(row: Readonly<Record<string, unknown>>): {
  readonly text: string;
  readonly publishedAt: Date;
} {
  const text = row["dataHoraCotacao"];
  try {
    if (typeof text !== "string" || !TIME_TEXT.test(text)) throw new RangeError("another notation");
    const time = Temporal.PlainDateTime.from(text.replace(" ", "T")).round({
      smallestUnit: "second",
      roundingMode: "floor",
    });
    return { text, publishedAt: new Date(time.toZonedDateTime(TIME_ZONE).epochMilliseconds) };
  } catch (error) {
    throw new PtaxFault("bad_time", "a bulletin has no time of São Paulo", error);
  }
}

function rateIn(row: Readonly<Record<string, unknown>>): bigint {
  const number = row["cotacaoVenda"];
  let spotMicros: bigint;
  try {
    if (!(number instanceof NumberText)) throw new RangeError("no number");
    spotMicros = parseRateMicros(number.text);
  } catch (error) {
    throw new PtaxFault("bad_number", "the newest bulletin's cotacaoVenda is no rate", error);
  }
  if (spotMicros < RATE_MIN_MICROS || spotMicros > RATE_MAX_MICROS) {
    throw new PtaxFault("out_of_bounds", "the newest bulletin's cotacaoVenda is not within 0.01 to 1000");
  }
  return spotMicros;
}
