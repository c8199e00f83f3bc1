/** The languages of pages and e-mails. The first is the default. */
export const LANGUAGES = ["pt-BR", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in both languages, with placeholders such as "{name}". */
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

/** Returns the language with this name, else the first one. */
export function languageOr(text: string | null | undefined): Language {
  return named(text ?? undefined) ?? "pt-BR";
}

/** Returns the language with this name, or undefined. */
export function named(text: string | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === text);
}
