import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { pictureName } from "../../contract/picture-name.ts";
import { MediaSchema, type Media } from "../../gen/paylink/media/v1/media_pb.ts";
import type { MediaRow } from "./entities.ts";

export function toMedia(
  { id, name, byteCount, width, height, createdAt }: MediaRow,
  mediaBase: string,
): Media {
  return create(MediaSchema, {
    id,
    name,
    url: `${mediaBase}/${pictureName(id)}`,
    byteCount,
    width,
    height,
    createdAt: timestampFromDate(createdAt),
  });
}
