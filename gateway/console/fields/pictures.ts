import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { mediaPicker } from "../media/picker.ts";
import { textField } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { Typed } from "./typed.ts";
import { sayIn } from "./words.ts";

const ADDRESSES = "picture_addresses";
const PICTURES_MAX = 5;

/** Pictures of a product: picked from the newest of the gallery, or given by their addresses. */
export async function pictureFields(
  visit: Visit,
  name: string,
  typed: Typed,
  problems: Problems,
  help: "pictures_help" | "pictures_own_help",
): Promise<Html> {
  const say = sayIn(visit.language);
  const { media } = await visit.core.media.listMedia({}, visit.as);
  return html`${mediaPicker(visit, { name, media, chosen: typed.texts(name), max: PICTURES_MAX, problems })}
  ${textField({
    name: ADDRESSES,
    label: say("pictures"),
    help: say(help),
    value: typed.lines(ADDRESSES),
    rows: 2,
    problems,
  })}`;
}

/** The addresses of the pictures picked and typed. */
export function picturesOf(typed: Typed, name: string): string[] {
  const lines = typed.lines(ADDRESSES).split(/\r?\n/);
  return [...typed.texts(name), ...lines].flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
}
