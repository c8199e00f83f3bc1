import { Random } from "../../tools/drills/random.ts";

const SEED_MAX = 2 ** 31 - 1;
// A seed, and the path to one of a property's cases as fast-check prints it.
const FORM = /^(\d{1,10})(?:,(\d+(?::\d+)*))?$/;

/** SEED as a run has it: the one that is asked for, or a new one. */
export function seedOfRun(): string {
  return process.env["SEED"] ?? String(Math.floor(Math.random() * SEED_MAX));
}

const [, seedText = "", path = ""] = FORM.exec(seedOfRun()) ?? [];
if (seedText === "" || Number(seedText) > SEED_MAX) {
  throw new Error(
    `SEED is a whole number up to ${SEED_MAX}, with a property's path behind it: 42 or 42,7:0:1`,
  );
}

/** What every random input of the run is drawn from, and where a property begins. */
export const drawn = { seed: Number(seedText), path } as const;

/** Whether the present test file draws by itself. What a property finds says its seed anyway. */
export const draws = { isUsed: false };

/** Numbers for one purpose: the same ones in each run of the same seed, whatever else is drawn. */
export function randomFor(purpose: string): Random {
  return new Random(seedFor(purpose));
}

/** A seed for one purpose, as `randomFor` has it. */
export function seedFor(purpose: string): number {
  draws.isUsed = true;
  let mixed = drawn.seed;
  for (const character of purpose) mixed = (Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return mixed;
}
