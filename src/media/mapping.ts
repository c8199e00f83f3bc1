import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MediaSchema, type Media } from "../../gen/paylink/media/v1/media_pb.ts";
import type { MediaRow } from "./entities.ts";

/** Returns a picture's file name, in the storage and in its URL. */
export function fileName(id: string): string {
  return `${id}.webp`;
}

/** Returns the id in a file name, or "" if it has none. */
export function idOf(name: string): string {
  return /^(med_[0-9a-z]{26})\.webp$/.exec(name)?.[1] ?? "";
}

export function toMedia(
  { id, name, byteCount, width, height, createdAt }: MediaRow,
  mediaBase: string,
): Media {
  return create(MediaSchema, {
    id,
    name,
    url: `${mediaBase}/${fileName(id)}`,
    byteCount,
    width,
    height,
    createdAt: timestampFromDate(createdAt),
  });
}
