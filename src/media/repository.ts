import type { Environment } from "../platform/database.ts";
import { Media, type MediaRow } from "./entities.ts";

export async function findMedia(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<MediaRow | null> {
  return await orm.em.fork().findOne(Media, { tenantId, id });
}

/** Those that are not hidden, newest first. */
export async function listMedia(
  { orm }: Environment,
  tenantId: string,
  startingAfter: string | undefined,
  limit: number,
): Promise<MediaRow[]> {
  const where = {
    tenantId,
    hiddenAt: null,
    ...(startingAfter === undefined ? {} : { id: { $lt: startingAfter } }),
  };
  return await orm.em.fork().find(Media, where, { orderBy: { id: "desc" }, limit });
}
