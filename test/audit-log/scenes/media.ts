import { png } from "../../support/pictures.ts";
import { Uploader } from "../../support/media.ts";
import type { Scenes } from "./scenery.ts";

export const mediaScenes: Scenes = {
  UploadMedia: async (as, { media }) => [
    (await media.uploadMedia({ content: await png(), name: "x" }, as)).media?.id,
  ],
  HideMedia: async (as, { media, merchant, service }) => {
    const { id } = await new Uploader(service, merchant.tenant).upload(await png());
    await media.hideMedia({ id }, as);
    return [id];
  },
};
