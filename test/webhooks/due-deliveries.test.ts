import { afterAll, beforeEach, expect, test } from "vitest";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { dueDeliveries, type DueDelivery } from "../../src/webhooks/due-deliveries.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const WAITING = 20_000;
const OF_ENDPOINT = 8;
const LOOKS = 12;
const CONNECTIONS = 2;
const LEASE_SECONDS = 40;
const TENANT = "ten_1";
const ALL = { accounts: [], tenants: [] };

const service = await forFile(startService());
service.clock.stop();
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const environment = await openEnvironment({
  url: service.databaseUrl,
  schema: "test",
  entities: [],
  poolMax: CONNECTIONS,
});
afterAll(async () => await environment.orm.close(true));
const due = dueDeliveries(environment, service.clock, LEASE_SECONDS);
// Deliveries alone, without events and endpoints.
await rows.run("SET session_replication_role = replica");
beforeEach(async () => await rows.run("DELETE FROM test.webhook_delivery"));

/** Makes deliveries that are due so many seconds from now. */
async function fill(endpointId: string, count: number, inSeconds = 0, tenantId = TENANT): Promise<void> {
  await rows.run(
    `INSERT INTO test.webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
        attempt_count, next_attempt_at, created_at)
      SELECT $4, $1 || n, 'evt_' || n, $1, 'pending', 1, 0, 0, $5::timestamptz + make_interval(secs => $3), $5
      FROM generate_series(1, $2::int) AS n`,
    [endpointId, count, inSeconds, tenantId, new Date(service.clock.nowMs())],
  );
}

const endpointsOf = (found: readonly DueDelivery[]) => found.map(({ accountId }) => accountId);

test("of each endpoint so many are found as it has attempts, those that are due for the longest time first", async () => {
  await fill("later", 5, 3600);
  await fill("a", 20, -1);
  await fill("b", 2, -60);
  expect(endpointsOf(await due.find(100, ALL))).toEqual([
    "b",
    "b",
    ...Array.from({ length: OF_ENDPOINT }, () => "a"),
  ]);
  expect(endpointsOf(await due.find(3, ALL))).toEqual(["b", "b", "a"]);
  expect(endpointsOf(await due.find(100, { accounts: ["a"], tenants: [] }))).toEqual(["b", "b"]);
  expect(await due.find(100, { accounts: [], tenants: [TENANT] })).toEqual([]);
});

test("what was found is taken once, however many take it, and again after its lease", async () => {
  await fill("a", 6);
  await fill("a", 2, 0, "ten_2");
  const found = await due.find(100, ALL);
  const own = found.filter(({ tenantId }) => tenantId === TENANT);
  const taken = await Promise.all([due.take(TENANT, own), due.take(TENANT, own), due.take(TENANT, found)]);
  expect(taken.flat().map(due.idOf).toSorted()).toEqual(own.map(due.idOf).toSorted());
  expect(endpointsOf(await due.find(100, ALL))).toHaveLength(2);
  service.clock.advance(LEASE_SECONDS - 1);
  expect(await due.take(TENANT, own)).toEqual([]);
  service.clock.advance(1);
  expect(await due.take(TENANT, own)).toHaveLength(6);
});

test("what ended or is locked meanwhile is not taken", async () => {
  await fill("a", 3);
  const found = await due.find(100, ALL);
  await rows.run(
    "UPDATE test.webhook_delivery SET status = 'succeeded', next_attempt_at = NULL WHERE id = 'a1'",
  );
  const holder = await new DatabaseRows(service.databaseUrl).open();
  await holder.run("BEGIN");
  await holder.run("SELECT FROM test.webhook_delivery WHERE id = 'a2' FOR UPDATE");
  expect((await due.take(TENANT, found)).map(({ deliveryId }) => deliveryId)).toEqual(["a3"]);
  await holder.close();
});

/** How many entries of the table's indexes were read. */
async function readCount(): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => await environment.pool.connect()),
  );
  for (const client of clients) {
    await client.query("SELECT pg_stat_force_next_flush()");
    client.release();
  }
  const { rows: counted } = await environment.pool.query<{ count: string }>(
    `SELECT sum(idx_tup_read) AS count FROM pg_stat_all_indexes
      WHERE schemaname = 'test' AND relname = 'webhook_delivery'`,
  );
  return Number(counted[0]?.count);
}

test(`no look reads the ${WAITING} due deliveries of a receiver that does not answer`, async () => {
  await fill("slow", WAITING, -60);
  await rows.run("ANALYZE test.webhook_delivery");
  const before = await readCount();
  for (let look = 0; look < LOOKS; look++) {
    await fill(`other${look}`, 1);
    const found = await due.find(100, { accounts: ["slow"], tenants: [] });
    expect(endpointsOf(found)).toEqual([`other${look}`]);
    expect(await due.take(TENANT, found)).toHaveLength(1);
  }
  const count = (await readCount()) - before;
  expect(count).toBeGreaterThan(LOOKS);
  expect(count).toBeLessThan(WAITING);
});
