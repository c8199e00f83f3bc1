import { InvalidArgumentError, Option, type Command } from "commander";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { parseRateMicros } from "../../src/pricing/rate.ts";

const modes = wordsOf(Mode);

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

// A command that acts in one environment requires --mode; where both are possible, it narrows to one.
const MODE_TEXT = "environment: test is the sandbox, live is real money";

/** --mode live|test */
export function modeOption(): Option {
  return new Option("--mode <mode>", MODE_TEXT).choices(["test", "live"]).makeOptionMandatory();
}

/** --mode live|test, by default live, for what only live mode has in practice. */
export function liveModeOption(): Option {
  return new Option("--mode <mode>", MODE_TEXT).choices(["test", "live"]).default("live");
}

/** --mode live|test, optional, for something that may work in both. */
export function boundModeOption(): Option {
  return new Option("--mode <mode>", "only this environment (default: both)").choices(["test", "live"]);
}

/** --currency BRL|USD, by default BRL. */
export function currencyOption(): Option {
  return new Option("--currency <currency>", "currency of the amount").choices(["BRL", "USD"]).default("BRL");
}

/** --fee-handling absorb|pass_through, with words for what holds without it. */
export function feeHandlingOption(otherwise: string): Option {
  return new Option(
    "--fee-handling <who>",
    `absorb: the merchant pays the fees; pass_through: the payer does (default: ${otherwise})`,
  ).choices(["absorb", "pass_through"]);
}

/** Returns the environment for a table cell. */
export function modeText(mode: Mode | undefined): string | null {
  return modes.wordOf(mode) ?? null;
}

/** The tenant and mode that a command acts for. */
export interface TenantChoice {
  readonly tenant: string;
  readonly mode: string;
}

/** --tenant <id> --mode live|test */
export function forTenant(command: Command): Command {
  return command
    .requiredOption("--tenant <id>", "the tenant that it is about, ten_…")
    .addOption(modeOption());
}

export function modeEnum(word: string): Mode {
  return modes.numberOf(word) ?? Mode.UNSPECIFIED;
}

/** Returns "a,b" as ["a", "b"]. */
export function list(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

/** Returns a non-negative whole number. Throws InvalidArgumentError. */
export function count(text: string): number {
  return Number(bigCount(text));
}

/** Returns a non-negative whole number with up to 18 digits. Throws InvalidArgumentError. */
export function bigCount(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return BigInt(text);
}

export function bigCounts(text: string): bigint[] {
  return list(text).map(bigCount);
}

// The bounds of PublishFxRate, in micros.
const RATE_MIN_MICROS = 10_000n;
const RATE_MAX_MICROS = 1_000_000_000n;

/** Returns BRL per USD in micros, from a text like 5.432100. Throws InvalidArgumentError. */
export function rate(text: string): bigint {
  const rateMicros = readRate(text);
  if (rateMicros === undefined || rateMicros < RATE_MIN_MICROS || rateMicros > RATE_MAX_MICROS) {
    throw new InvalidArgumentError("It must be BRL per USD, 0.01 to 1000, with at most 6 decimals.");
  }
  return rateMicros;
}

function readRate(text: string): bigint | undefined {
  try {
    return parseRateMicros(text);
  } catch {
    return undefined;
  }
}

/** Returns a duration in seconds, from a number with s, m, h or d, for example 24h. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = UNIT_SECONDS[unit];
  if (seconds === undefined)
    throw new InvalidArgumentError("It must be a number and s, m, h or d, such as 24h.");
  return Number(number) * seconds;
}

/** Returns a time from ISO 8601, for example 2026-01-31 or 2026-01-31T10:00:00-03:00. Throws InvalidArgumentError. */
export function time(text: string): Timestamp {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("It must be a time in ISO 8601.");
  return timestampFromDate(date);
}

/** Returns a calendar day, YYYY-MM-DD. Throws InvalidArgumentError. */
export function day(text: string): string {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toString();
  } catch {
    // The calendar has no such day.
  }
  throw new InvalidArgumentError("It must be a day of the calendar, YYYY-MM-DD.");
}

/** Returns a calendar month from YYYY-MM. Throws InvalidArgumentError. */
export function month(text: string): Temporal.PlainYearMonth {
  try {
    if (/^\d{4}-\d{2}$/.test(text)) return Temporal.PlainYearMonth.from(text);
  } catch {
    // The calendar has no such month.
  }
  throw new InvalidArgumentError("It must be a month of the calendar, YYYY-MM.");
}
