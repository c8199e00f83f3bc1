import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";
import { english } from "./words/english.ts";
import { portuguese, type Word } from "./words/portuguese.ts";

export type { Word } from "./words/portuguese.ts";

export type Say = SayOf<Word>;

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
