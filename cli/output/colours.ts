import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

const TONES: Readonly<Record<string, Style>> = {
  active: "green",
  clean: "green",
  complete: "green",
  completed: "green",
  enabled: "green",
  ok: "green",
  succeeded: "green",
  won: "green",
  canceled: "yellow",
  expired: "yellow",
  incomplete: "yellow",
  needs_response: "yellow",
  pending: "yellow",
  processing: "yellow",
  requested: "yellow",
  warning: "yellow",
  disabled: "red",
  failed: "red",
  lost: "red",
  problem: "red",
};

/** Returns the text of a heading as stdout shows it: bold on a terminal, unless NO_COLOR is set. */
export function heading(text: string): string {
  return styleText("bold", text);
}

/** Returns a text with the colour of a status or of an event's type, such as payment.failed, if stdout shows colours. */
export function toned(text: string, word: string): string {
  const style = TONES[word.slice(word.lastIndexOf(".") + 1)];
  return style === undefined ? text : styleText(style, text);
}
