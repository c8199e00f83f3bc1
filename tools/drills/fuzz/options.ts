import { parseArgs } from "node:util";
import type { Plan } from "./run.ts";

/** How the drill runs. */
export interface Options extends Plan {
  /** Names of the parts that run. */
  readonly only: readonly string[];
  /** Undefined: once. Else new seeds are drawn from the first until the time is over. */
  readonly seconds: number | undefined;
}

const SHRINK_SECONDS = 60;
const SEED_MAX = 2 ** 31 - 1;

/** The page of --help. */
export function help(parts: readonly string[]): string {
  return `Usage: npm run fuzz -- [options]

Asks a service on a database of its own what random merchants, users and programs may ask, and holds every answer to
the contract. A run is one random case; a case of the model is a plan of up to 48 calls.

  --runs N      cases of all parts together (1500)
  --seconds N   goes on with new seeds until the time is over
  --only PART   ${parts.join(", ")}; more than one with commas between
  --seed N      repeats the cases of a seed (drawn)
  --path P      repeats one case: the path that its failure named, with its --seed and --only
  --help

Exit code 0: nothing was wrong. 1: something was. 2: it cannot run.`;
}

/** Reads the command line; throws a TypeError with a code for what it cannot be. */
export function readOptions(
  args: readonly string[],
  parts: readonly string[],
  drawnSeed: number,
): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: "string", default: "1500" },
      seconds: { type: "string" },
      only: { type: "string", default: parts.join(",") },
      seed: { type: "string", default: String(drawnSeed) },
      path: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const only = values.only.split(",");
  const unknown = only.find((name) => !parts.includes(name));
  if (unknown !== undefined) throw usage(`--only takes ${parts.join(", ")}, not ${unknown}.`);
  const { path } = values;
  if (path !== undefined) {
    if (!/^\d+(?::\d+)*$/.test(path)) throw usage("--path takes numbers with colons between.");
    if (only.length !== 1) throw usage("--path needs --only with the part that failed.");
  }
  return {
    only,
    shrinkSeconds: SHRINK_SECONDS,
    runs: positive("runs", values.runs),
    seconds: values.seconds === undefined ? undefined : positive("seconds", values.seconds),
    seed: seedOf(values.seed),
    ...(path === undefined ? {} : { path }),
  };
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (!/^-?\d{1,10}$/.test(text) || Math.abs(seed) > SEED_MAX + 1)
    throw usage("--seed takes a number of 32 bits.");
  return seed;
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw usage(`--${name} takes a whole number from 1 on.`);
  return Number(text);
}

function usage(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: "ERR_USAGE" });
}
