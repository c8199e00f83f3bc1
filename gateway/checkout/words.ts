import { english } from "./words/english.ts";
import { portuguese, type Word } from "./words/portuguese.ts";

export type { Word } from "./words/portuguese.ts";

/** The languages of the pages, the first is the default. */
export const LANGUAGES = ["pt-BR", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Says a word in a language, with what stands in its braces. */
export type Say = (word: Word, values?: Readonly<Record<string, string | number>>) => string;

const texts: Readonly<Record<Language, Readonly<Record<Word, string>>>> = {
  "pt-BR": portuguese,
  en: english,
};

export function speaker(language: Language): Say {
  return (word, values = {}) =>
    texts[language][word].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
