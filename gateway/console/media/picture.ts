import type { Media } from "../../../gen/paylink/media/v1/media_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Guest } from "../visit.ts";

/** The types of files that the core takes as pictures. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp";

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;

/** Returns the picture from this host: the payer's address for it may be on another one. */
export function thumbnail({ id, name, width, height }: Media): Html {
  return html`<img
    src="/media/${id}.webp"
    alt="${name}"
    width="${width}"
    height="${height}"
    loading="lazy"
    decoding="async"
  />`;
}

/** Returns "12 KB" or "3.4 MB". */
export function sizeText({ language }: Guest, bytes: number): string {
  const isLarge = bytes >= MEGABYTE;
  const number = (isLarge ? bytes / MEGABYTE : Math.max(1, bytes / KILOBYTE)).toLocaleString(language, {
    maximumFractionDigits: isLarge ? 1 : 0,
  });
  return `${number} ${isLarge ? "MB" : "KB"}`;
}
