import { SECONDS } from "./durations.ts";
import { drawn } from "./seed.ts";

/** "quick" does a part of what is repeated, "full" all, and "turns" all of it in one file of four, which the seed draws. */
const SCALES = ["quick", "turns", "full"] as const;

// As many runs do all of it on average. The longest files follow each other in the list, so that each run has its share of them.
const TURNS = 4;
const LONG = Object.keys(SECONDS);

const scale = SCALES.find((one) => one === (process.env["SCALE"] ?? "quick"));
if (scale === undefined) throw new Error(`SCALE is one of ${SCALES.join(", ")}.`);

/** The test file that runs, by its path from the root. Set before each file. */
export const running = { file: "" };

/** Returns true if the running file does everything. A file that is not among the long ones does so in "turns", too. */
export function isInFull(): boolean {
  if (scale !== "turns") return scale === "full";
  const place = LONG.indexOf(running.file);
  return place < 0 || place % TURNS === drawn.seed % TURNS;
}

/** How often something is done to see that it always holds: in full, or a part of it in the quick form. */
export function times<Amount>(inFull: Amount, inPart: Amount): Amount {
  return isInFull() ? inFull : inPart;
}
