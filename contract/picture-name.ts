import { isId } from "./ids.ts";

const SUFFIX = ".webp";

/** Returns a picture's file name, in the storage and in its URL. */
export function pictureName(id: string): string {
  return `${id}${SUFFIX}`;
}

/** Returns the id in a picture's file name, or undefined if it has none. */
export function pictureId(name: string): string | undefined {
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId("med", id) ? id : undefined;
}
