import { hash } from "node:crypto";

const HASH_CHARACTERS = 20;
const names = new Map<string, string>();

/**
 * The name of a statement whose text has several forms, such as the filters of a list: what it does and a short hash
 * of the form, so that it is never longer than PostgreSQL's names are. Forms are few: they are kept.
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
