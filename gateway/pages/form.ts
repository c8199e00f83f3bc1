/** A form as it came in: one text for each name, the last one given. */
export type Form = Readonly<Record<string, string>>;

/** Reads a parsed urlencoded body. What was repeated counts once, and nothing but texts counts. */
export function formOf(body: unknown): Form {
  return Object.fromEntries([...textsOf(body)].map(([name, texts]) => [name, texts.at(-1) ?? ""]));
}

/** Every text that was given for each name, in the order of the form. */
export function textsOf(body: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof body !== "object" || body === null) return new Map();
  const entries = Object.entries(body).map(([name, value]): [string, string[]] => [
    name,
    [value].flat().filter((text): text is string => typeof text === "string"),
  ]);
  return new Map(entries.filter(([, texts]) => texts.length > 0));
}
