import type { Language } from "./language.ts";

/** A text in both languages of the pages, with placeholders such as "{name}". */
export type Message = readonly [portuguese: string, english: string];

type Values = Readonly<Record<string, string | number>>;

/** Returns the text of a key with these values filled in. */
export type Translate<Key extends string> = (key: Key, values?: Values) => string;

/** Returns the translations of a room's messages into a language. */
export function messages<Key extends string>(
  all: Readonly<Record<Key, Message>>,
): (language: Language) => Translate<Key> {
  return (language) => {
    const index = language === "en" ? 1 : 0;
    return (key, values = {}) =>
      all[key][index].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  };
}
