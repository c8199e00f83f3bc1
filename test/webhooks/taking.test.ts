import { afterAll, expect, test } from "vitest";
import { openEnvironment } from "../../src/platform/database.ts";
import { JobQueue } from "../../src/platform/jobs.ts";
import { DELIVERY_QUEUE } from "../../src/webhooks/delivery.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const JOBS = 20_000;
const OF_GROUP = 8;
const LOOKS = 12;
const CONNECTIONS = 2;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const environment = await openEnvironment({
  url: service.databaseUrl,
  schema: "test",
  entities: [],
  poolMax: CONNECTIONS,
});
const options = {
  name: DELIVERY_QUEUE,
  expireSeconds: 40,
  heartbeatSeconds: 10,
  groupConcurrency: OF_GROUP,
};
const queue = await JobQueue.open<{ readonly number: number }>(
  environment.pool,
  "test",
  options,
  () => undefined,
);
afterAll(async () => {
  await queue.close();
  await environment.orm.close(true);
});

/** Makes due jobs with numbers from 1 on. */
async function fill(group: string, count: number, delaySeconds = 0): Promise<void> {
  await rows.run(
    `INSERT INTO test_jobs.job (name, data, group_id, policy, start_after, retry_limit, expire_seconds)
      SELECT $1, jsonb_build_object('number', number), $2, 'standard', now() + make_interval(secs => $4), 10, 60
      FROM generate_series(1, $3::int) AS number`,
    [DELIVERY_QUEUE, group, count, delaySeconds],
  );
}

async function empty(): Promise<void> {
  await rows.run("DELETE FROM test_jobs.job");
}

test("A group has so many active jobs, and gets more when some have ended", async () => {
  await fill("a", 20);
  const taken = await queue.take(100);
  expect([taken.length, (await queue.take(100)).length]).toEqual([OF_GROUP, 0]);
  for (const { id } of taken.slice(0, 3)) await queue.end(id);
  expect(await queue.take(100)).toHaveLength(3);
  await empty();
});

test("No more are taken than are wanted, and none before it is due or twice at the same time", async () => {
  await fill("later", 5, 3600);
  for (const group of ["a", "b", "c"]) await fill(group, 2);
  const [some, others] = await Promise.all([queue.take(4), queue.take(4)]);
  expect([some.length, others.length].every((count) => count <= 4)).toBe(true);
  const ids = [...some, ...others, ...(await queue.take(100))].map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
  await empty();
});

test("The group whose jobs are due for the longest time comes first, however its name sorts", async () => {
  await fill("a", 1);
  await fill("z", 1, -60);
  expect((await queue.take(1)).map(({ data }) => data)).toEqual([{ number: 1 }]);
  expect(await rows.count("test_jobs.job WHERE group_id = 'z' AND state = 'active'")).toBe(1);
  await empty();
});

test("A group without active jobs comes before one that has some, and that has waited longer", async () => {
  await fill("slow", OF_GROUP, -60);
  expect(await queue.take(OF_GROUP - 1)).toHaveLength(OF_GROUP - 1);
  await fill("other", 1);
  expect(await queue.take(1)).toHaveLength(1);
  expect(await rows.count("test_jobs.job WHERE group_id = 'other' AND state = 'active'")).toBe(1);
  await empty();
});

/** How many entries of the queue's indexes were read. */
async function readCount(): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => await environment.pool.connect()),
  );
  for (const client of clients) {
    await client.query("SELECT pg_stat_force_next_flush()");
    client.release();
  }
  const { rows: counted } = await environment.pool.query<{ count: string }>(
    "SELECT sum(idx_tup_read) AS count FROM pg_stat_all_indexes WHERE schemaname = 'test_jobs'",
  );
  return Number(counted[0]?.count);
}

test(`no look at the queue reads the ${JOBS} due jobs of a receiver that does not answer`, async () => {
  await fill("slow", JOBS, -60);
  expect(await queue.take(100)).toHaveLength(OF_GROUP);
  await fill("other", LOOKS);
  const before = await readCount();
  for (let look = 0; look < LOOKS; look++) {
    const taken = await queue.take(1);
    expect(taken).toHaveLength(1);
    for (const { id } of taken) await queue.end(id);
  }
  const count = (await readCount()) - before;
  expect(count).toBeGreaterThan(LOOKS);
  expect(count).toBeLessThan(JOBS);
});
