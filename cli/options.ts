import { InvalidArgumentError, Option, type Command } from "commander";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Mode } from "../gen/paylink/identity/v1/identity_pb.ts";
import { parseRateMicros } from "../src/pricing/rate.ts";

const modes: Readonly<Record<string, Mode>> = { live: Mode.LIVE, test: Mode.TEST };

/** --mode live|test */
export function modeOption(): Option {
  return new Option("--mode <mode>", "environment: the sandbox, or real money")
    .choices(["test", "live"])
    .makeOptionMandatory();
}

/** For whom a command acts. */
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
  return modes[word] ?? Mode.UNSPECIFIED;
}

/** "a,b" as ["a", "b"]. */
export function list(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

/** A whole number that is not negative. */
export function count(text: string): number {
  return Number(bigCount(text));
}

/** A whole number that is not negative, of any size that a 64-bit integer holds. */
export function bigCount(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return BigInt(text);
}

export function bigCounts(text: string): bigint[] {
  return list(text).map(bigCount);
}

/** BRL per USD, for example 5.432100, in micros. */
export function rate(text: string): bigint {
  try {
    return parseRateMicros(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : "It must be a rate.");
  }
}

/** A time as ISO 8601, for example 2026-01-31 or 2026-01-31T10:00:00-03:00. */
export function time(text: string): Timestamp {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("It must be a time in ISO 8601.");
  return timestampFromDate(date);
}

/** A day of the calendar, YYYY-MM-DD. */
export function day(text: string): string {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toString();
  } catch {
    // No such day.
  }
  throw new InvalidArgumentError("It must be a day of the calendar, YYYY-MM-DD.");
}
