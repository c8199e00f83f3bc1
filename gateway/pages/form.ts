import { parse } from "node:querystring";
import formbody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";

/** A submitted form: the last text of each name. */
export type Form = Readonly<Record<string, string>>;

/** Returns the form of a parsed urlencoded body. Values that are no text are ignored. */
export function formOf(body: unknown): Form {
  return Object.fromEntries([...textsOf(body)].map(([name, texts]) => [name, texts.at(-1) ?? ""]));
}

/** Returns all texts of each name, in the order of the form. */
export function textsOf(body: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof body !== "object" || body === null) return new Map();
  const entries = Object.entries(body).map(([name, value]): [string, string[]] => [
    name,
    [value].flat().filter((text): text is string => typeof text === "string"),
  ]);
  return new Map(entries.filter(([, texts]) => texts.length > 0));
}

/** The most fields of a form or of a page's address. No page of ours has as many. */
const FIELDS_MAX = 200;

/**
 * Returns the fields of an urlencoded text; none if there are more than 200. Anyone may send such texts, and a field takes
 * as much time as many characters: 64 KiB of them some 10 ms.
 */
export function fieldsIn(text: string): Record<string, unknown> {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    if (++count > FIELDS_MAX) return {};
  }
  // For each plus in a text the parser would make a new one.
  return parse(text.replaceAll("+", " "), "&", "=", { maxKeys: 0 });
}

/** Takes the bodies of forms, and none of the types that the root takes. */
export async function acceptForms(app: FastifyInstance, bodyLimit: number): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit, parser: fieldsIn });
}
