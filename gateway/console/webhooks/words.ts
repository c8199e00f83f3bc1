import type { Language } from "../../pages/language.ts";
import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import { english } from "./words/english.ts";
import { portuguese, type Word } from "./words/portuguese.ts";

export type { Word } from "./words/portuguese.ts";

export type Say = SayOf<Word>;

const texts = { "pt-BR": portuguese, en: english };

export function sayIn(language: Language): Say {
  return speaker(texts, language);
}
