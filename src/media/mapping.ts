import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MediaSchema, type Media } from "../../gen/paylink/media/v1/media_pb.ts";
import type { MediaRow } from "./entities.ts";

/** What a picture is called where it is kept and where it is shown. */
export function fileName(id: string): string {
  return `${id}.webp`;
}

/** The id that a name is of; "" of any other name. */
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
