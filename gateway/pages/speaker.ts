import type { Language } from "./language.ts";

/** What stands in the braces of a text. */
type Values = Readonly<Record<string, string | number>>;

/** Says a word in a language. */
export type Say<Word extends string> = (word: Word, values?: Values) => string;

/** The texts of a room's words, in every language; "{name}" in a text is filled in. */
export type Texts<Word extends string> = Readonly<Record<Language, Readonly<Record<Word, string>>>>;

export function speaker<Word extends string>(texts: Texts<Word>, language: Language): Say<Word> {
  return (word, values = {}) =>
    texts[language][word].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
