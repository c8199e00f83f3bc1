import { hash } from "node:crypto";

const HASH_CHARACTERS = 20;
// More than the forms that an update takes in use, where few columns change together.
const OF_FAMILY_MAX = 16;

const names = new Map<string, string>();

/**
 * Returns the name of a query whose text has several forms, such as the filters of a list: its purpose and a short hash
 * of the form, so that it never exceeds PostgreSQL's maximum. There are few forms, so the names are cached.
 */
export function queryName(what: string, form: string): string {
  const key = `${what} ${form}`;
  let name = names.get(key);
  if (name === undefined) {
    name = `${what} ${hash("sha256", form, "base64url").slice(0, HASH_CHARACTERS)}`;
    names.set(key, name);
  }
  return name;
}

/**
 * The names of prepared queries. Each connection keeps the plan of each name until it ends, some 50 KB, so queries that
 * differ only in the columns that callers choose to change are a family, of which few have a name.
 */
export class QueryNames {
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `prefix` begins each name. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the name of the query as a property, or none: then its plan is made anew each time. */
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
