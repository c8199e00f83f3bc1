import { readFileSync } from "node:fs";

/** Seconds of the files that take long, by their path from the root, as `scripts/write-durations.ts` left them. */
export const SECONDS = JSON.parse(
  readFileSync(new URL("../durations.json", import.meta.url), "utf8"),
) as Readonly<Record<string, number>>;

const CONTRACT = "test/contract/";

/** The files that `vitest run --mode large` runs alone and `--mode small` leaves out: long ones that are not of the contract. */
export const LARGE: readonly string[] = Object.keys(SECONDS).filter((path) => !path.startsWith(CONTRACT));
