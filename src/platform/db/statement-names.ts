// More than the forms that an update takes in use, where few columns change together.
const OF_FAMILY_MAX = 16;

/**
 * The names of prepared statements. Each connection keeps the plan of each name until it ends, some 50 KB, so statements that
 * differ only in the columns that callers choose to change are a family, of which few have a name.
 */
export class StatementNames {
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `prefix` begins each name. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the name of the statement as a property, or none: then its plan is made anew each time. */
  of(text: string, family: string): { readonly name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known };
    const count = this.#counts.get(family) ?? 0;
    if (count === OF_FAMILY_MAX) return {};
    this.#counts.set(family, count + 1);
    const name = `${this.#prefix} ${this.#names.size}`;
    this.#names.set(text, name);
    return { name };
  }
}
