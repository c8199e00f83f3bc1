import { speaker, type Say } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = { title: "Bom dia" } as const;

type Word = keyof typeof portuguese;

const english: Readonly<Record<Word, string>> = { title: "Good morning" };

export function sayIn(language: Language): Say<Word> {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
