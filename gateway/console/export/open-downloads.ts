import { VisitSemaphore } from "../visit-semaphore.ts";

/** The downloads of this process that are under way: each holds pages of rows until its client reads them. */
export const openDownloads = new VisitSemaphore({ total: 16, perKey: 4 });
