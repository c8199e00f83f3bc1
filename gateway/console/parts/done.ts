import type { Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Visit } from "../visit.ts";
import { notice } from "./show.ts";

/** Returns the notice for the `done` parameter of the address, or "" if it names none of these words. */
export function doneNotice<MessageKey extends string>(
  visit: Visit,
  t: Translate<MessageKey>,
  words: Readonly<Record<string, MessageKey>>,
): Html | "" {
  const done = visit.query["done"] ?? "";
  const word = Object.hasOwn(words, done) ? words[done] : undefined;
  return word === undefined ? "" : notice(t(word));
}
