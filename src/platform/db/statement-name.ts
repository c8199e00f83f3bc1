import { hash } from "node:crypto";

const HASH_CHARACTERS = 20;
const names = new Map<string, string>();

/**
 * Returns the name of a statement whose text has several forms, such as the filters of a list: its purpose and a short
 * hash of the form, so that it never exceeds PostgreSQL's maximum. There are few forms, so the names are cached.
 */
export function statementName(what: string, form: string): string {
  const key = `${what} ${form}`;
  let name = names.get(key);
  if (name === undefined) {
    name = `${what} ${hash("sha256", form, "base64url").slice(0, HASH_CHARACTERS)}`;
    names.set(key, name);
  }
  return name;
}
