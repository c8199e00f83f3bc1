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
