import type { Environment } from "../platform/db/database.ts";
import { Media, type MediaRow } from "./entities.ts";

export async function findMedia(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<MediaRow | null> {
  return await orm.em.fork().findOne(Media, { tenantId, id });
}

/** Returns the pictures that are not hidden, newest first. */
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

/** Returns the number and total size of a tenant's pictures, hidden ones too. */
export async function countMedia(
  { pool }: Environment,
  tenantId: string,
): Promise<{ pictures: number; bytes: number }> {
  const { rows } = await pool.query<{ pictures: number; bytes: number }>({
    name: "count media",
    text: `SELECT count(*)::int AS pictures, coalesce(sum(byte_count), 0)::float8 AS bytes
      FROM media WHERE tenant_id = $1`,
    values: [tenantId],
  });
  return rows[0] ?? { pictures: 0, bytes: 0 };
}

/** Returns true if the tenant has all of these pictures. */
export async function haveAll(
  { pool }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<boolean> {
  const { rows } = await pool.query<{ count: number }>({
    name: "have media",
    text: "SELECT count(*)::int AS count FROM media WHERE tenant_id = $1 AND id = ANY ($2)",
    values: [tenantId, ids],
  });
  return rows[0]?.count === ids.length;
}
