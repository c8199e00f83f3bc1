import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mutant } from "./instrument.ts";

/** A mutant that is known to survive. The line of source identifies the place, which moves. */
interface Accepted {
  readonly file: string;
  readonly mutator: string;
  readonly source: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** The survivors of a part that are accepted, each with its reason. */
export class Survivors {
  readonly #reasons: ReadonlyMap<string, string>;

  private constructor(accepted: readonly Accepted[]) {
    this.#reasons = new Map(accepted.map((entry) => [keyOf(entry), entry.reason]));
  }

  static async read(part: string): Promise<Survivors> {
    const path = join(import.meta.dirname, "survivors", `${part}.json`);
    const text = await readFile(path, "utf8").catch(() => "[]");
    return new Survivors(JSON.parse(text) as Accepted[]);
  }

  reasonOf(mutant: Mutant): string | undefined {
    return this.#reasons.get(keyOf(mutant));
  }

  /** Entries that none of these mutants is: the source has changed, or a test kills it now. */
  unused(survived: readonly Mutant[]): string[] {
    const found = new Set(survived.map((mutant) => keyOf(mutant)));
    return [...this.#reasons.keys()].filter((key) => !found.has(key));
  }
}

/** The entry of a survivor, whose reason is still to be written. */
export function entryOf({ file, mutator, source, original, replacement }: Mutant): Accepted {
  return { file, mutator, source, original, replacement, reason: "" };
}

function keyOf({ file, mutator, source, original, replacement }: Omit<Accepted, "reason">): string {
  return [file, mutator, source, original, replacement].join(" | ");
}
