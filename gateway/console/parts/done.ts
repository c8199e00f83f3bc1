import type { Html } from "../../pages/html.ts";
import type { Say } from "../../pages/speaker.ts";
import type { Visit } from "../visit.ts";
import { notice } from "./show.ts";

/** What was just done, as the address says it in `done`; nothing where it says none of these words. */
export function doneNotice<Word extends string>(
  visit: Visit,
  say: Say<Word>,
  words: Readonly<Record<string, Word>>,
): Html | "" {
  const done = visit.query["done"] ?? "";
  const word = Object.hasOwn(words, done) ? words[done] : undefined;
  return word === undefined ? "" : notice(say(word));
}
