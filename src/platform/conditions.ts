import type { Cursor } from "./keyset-page.ts";

/** Conditions of a statement, numbered in the order in which their values are given. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: unknown[] = [];

  /** Adds a condition; each `$` in it stands for the next value. */
  add(text: string, ...values: readonly unknown[]): this {
    let next = 0;
    const numbered = text.replaceAll("$", () => `$${this.values.length + ++next}`);
    this.values.push(...values);
    this.#texts.push(`(${numbered})`);
    return this;
  }

  /** What the page's rows have to be behind. The bound apart from the row comparison is what the index is entered by. */
  after(alias: string, { createdAt, id }: Cursor): this {
    const [time, key] = [`${alias}.created_at`, `${alias}.id`];
    return this.add(`${time} <= $ AND (${time}, ${key}) < ($, $)`, createdAt, createdAt, id);
  }

  get text(): string {
    return this.#texts.join(" AND ");
  }
}

/** What somebody looks for, as the database can be asked for it: without the character that no text of it has. */
export function searched(text: string | undefined): string | undefined {
  return text?.replaceAll("\0", "").trim();
}

/** A pattern of LIKE for texts that contain this one. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
