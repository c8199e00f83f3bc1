import { Places } from "../places.ts";

/** The downloads of this process that are under way: each holds pages of rows until its client reads them. */
export const openDownloads = new Places({ total: 16, perKey: 4 });
