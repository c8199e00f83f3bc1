import type pg from "pg";

/** What a worker may take. */
export interface Taking {
  readonly name: string;
  /** Of all groups. */
  readonly count: number;
  /** The most active jobs of a group. */
  readonly groupConcurrency: number;
}

/** A job as its worker gets it. */
interface Taken<Data> {
  readonly id: string;
  readonly data: Data;
}

/** The index by which due jobs are found, group by group. */
export const GROUP_INDEX = {
  name: "job_by_group",
  of: "(name, group_id, start_after) WHERE state < 'active' AND NOT blocked",
};

/**
 * Takes due jobs of groups that have room: first of those with the fewest active jobs, and of these the longest due. pg-boss
 * would read all due jobs in their order and leave out those of full groups: a quarter of a second for 200,000 jobs of slow
 * receivers, at each look and before the jobs of all others. Here a group costs the same however many jobs it has. Every job has
 * a group.
 */
export async function takeJobs<Data>(
  pool: Pick<pg.Pool, "query">,
  schema: string,
  { name, count, groupConcurrency }: Taking,
): Promise<Taken<Data>[]> {
  const { rows } = await pool.query<Taken<Data>>({
    name: "take jobs",
    text: `WITH RECURSIVE ${waitingGroups(schema)}, open AS (
        SELECT group_id, places FROM waiting w CROSS JOIN LATERAL (
          SELECT $2::int - count(*)::int AS places FROM ${schema}.job
          WHERE name = $1 AND state = 'active' AND group_id = w.group_id
        ) active
        WHERE start_after <= now() AND places > 0 ORDER BY places DESC, start_after LIMIT $3
      ), chosen AS (
        SELECT due.id FROM open CROSS JOIN LATERAL (
          SELECT id FROM ${schema}.job
          WHERE name = $1 AND state < 'active' AND NOT blocked AND group_id = open.group_id AND start_after <= now()
          ORDER BY start_after LIMIT open.places FOR UPDATE SKIP LOCKED
        ) due LIMIT $3
      )
      UPDATE ${schema}.job SET state = 'active', started_on = now(), heartbeat_on = now(),
        retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
      WHERE name = $1 AND id = ANY (ARRAY (SELECT id FROM chosen))
      RETURNING id, data`,
    values: [name, groupConcurrency, count],
  });
  return rows;
}

/** A group with jobs that wait, and the data of one of them. */
export interface WaitingGroup<Data> {
  readonly group: string;
  readonly data: Data;
}

/** Returns the groups with jobs that wait, as they are gone through to take jobs. */
export async function listWaitingGroups<Data>(
  client: Pick<pg.Pool, "query">,
  schema: string,
  name: string,
): Promise<WaitingGroup<Data>[]> {
  const { rows } = await client.query<WaitingGroup<Data>>({
    name: "waiting groups",
    text: `WITH RECURSIVE ${waitingGroups(schema)}
      SELECT w.group_id AS "group", one.data FROM waiting w CROSS JOIN LATERAL (
        SELECT data FROM ${schema}.job
        WHERE name = $1 AND group_id = w.group_id AND state < 'active' AND NOT blocked LIMIT 1
      ) one`,
    values: [name],
  });
  return rows;
}

function waitingGroups(schema: string): string {
  return `waiting AS (
        (${firstOf(schema, "")})
        UNION ALL
        SELECT following.* FROM waiting w CROSS JOIN LATERAL (${firstOf(schema, "AND group_id > w.group_id")}) following
      )`;
}

/** The first group, or the first one of further groups, and when its first job is due. */
function firstOf(schema: string, further: string): string {
  return `SELECT group_id, start_after FROM ${schema}.job
    WHERE name = $1 AND state < 'active' AND NOT blocked ${further} ORDER BY group_id, start_after LIMIT 1`;
}
