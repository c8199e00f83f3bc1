import { UploadMediaRequestSchema, type Media } from "../../../gen/paylink/media/v1/media_pb.ts";
import { limitOf } from "../form/limits.ts";
import { FormProblem } from "../problems.ts";
import { fileOf } from "../upload.ts";
import type { Visit } from "../visit.ts";
import { sizeText } from "./picture.ts";
import { messagesIn } from "./messages.ts";

const NAME_MAX = limitOf(UploadMediaRequestSchema.field.name, "maxLength");
export const PICTURE_BYTES_MAX = limitOf(UploadMediaRequestSchema.field.content, "maxLength");

/** Saves the picture in the visit's form. Throws FormProblem on "content" if no picture was chosen, or it is too large. */
export async function uploadedPicture(visit: Visit): Promise<Media | undefined> {
  const t = messagesIn(visit.language);
  const file = fileOf(visit.request);
  if (!file) throw new FormProblem("content", t("no_file"));
  const { content, name, byteCount } = file;
  if (!content) throw new FormProblem("content", t("too_large", { size: sizeText(visit, byteCount) }));
  return (await visit.core.media.uploadMedia({ content, name: shortened(name) }, visit.as)).media;
}

/** Returns a file's name without control characters and at most as long as the core accepts. */
function shortened(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, NAME_MAX)
    .toWellFormed();
}
