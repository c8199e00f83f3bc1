import { InvalidArgumentError, Option } from "commander";
import { Mode } from "../gen/paylink/identity/v1/identity_pb.ts";
import { parseRateMicros } from "../src/pricing/rate.ts";

const modes: Readonly<Record<string, Mode>> = { live: Mode.LIVE, test: Mode.TEST };

/** --mode live|test */
export function modeOption(): Option {
  return new Option("--mode <mode>", "environment").choices(["test", "live"]).makeOptionMandatory();
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
