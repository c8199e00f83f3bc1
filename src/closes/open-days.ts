import { TIME_ZONE } from "../../contract/day.ts";
import type { Environment } from "../platform/db/database.ts";

/**
 * Returns the oldest days with payments and without a seal until `last`, YYYY-MM-DD, and the number of all of them. Each
 * day that has no seal is one look into an index.
 */
export async function listOpenDays(
  { pool }: Environment,
  tenantId: string,
  last: string,
  limit: number,
): Promise<{ days: string[]; dayCount: number }> {
  const { rows } = await pool.query<{ day: string; dayCount: number }>({
    name: "open days",
    text: `SELECT to_char(date, 'YYYY-MM-DD') AS day, (count(*) OVER ())::int AS "dayCount"
      FROM generate_series((
        SELECT date_trunc('day', created_at AT TIME ZONE '${TIME_ZONE}') FROM payment
        WHERE tenant_id = $1 ORDER BY created_at LIMIT 1
      ), $2::timestamp, interval '1 day') AS date
      WHERE NOT EXISTS (SELECT FROM day_seal s WHERE s.tenant_id = $1 AND s.day = date::date)
        AND EXISTS (SELECT FROM payment p WHERE p.tenant_id = $1
          AND p.created_at >= date AT TIME ZONE '${TIME_ZONE}'
          AND p.created_at < (date + interval '1 day') AT TIME ZONE '${TIME_ZONE}')
      ORDER BY 1 LIMIT $3`,
    values: [tenantId, last, limit],
  });
  return { days: rows.map(({ day }) => day), dayCount: rows[0]?.dayCount ?? 0 };
}
