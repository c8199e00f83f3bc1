import { createClient } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../cli/observe/log.ts";
import { createGateway } from "../../gateway/app.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { atLength, inTransaction } from "../../src/platform/db/transaction.ts";
import type pg from "pg";
import { Api } from "../support/api.ts";
import { CORE_TOKEN, MEDIA_BASE } from "../support/core-options.ts";
import { openDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { secondService, startService, type TestService, type TestTenant } from "../support/service.ts";

const STATEMENT_MS = 1000;
// The statement's, one for the server to report it, and one for the machine.
const ANSWER_MS_MAX = STATEMENT_MS + 2000;
const LINK = { amount: 5000, currency: "BRL", reference: "order-1" };

let service: TestService;
let proxy: DatabaseProxy;
let tenant: TestTenant;
let api: Api;
let rows: DatabaseRows;
beforeAll(async () => {
  service = await startService("direct", { databaseTimeoutMs: STATEMENT_MS }, async (url) => {
    proxy = await openDatabaseProxy(url);
    return proxy.url;
  });
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
  rows = await new DatabaseRows(service.databaseUrl).open();
});
afterAll(async () => {
  await rows.close();
  await service.close();
  await proxy.close();
});

const readyz = async () => (await service.gateway.inject("/readyz")).statusCode;
const create = async (idempotencyKey: string) =>
  await api.post("/v1/payment_links", LINK, { idempotencyKey });

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedMs = performance.now();
  const result = await work();
  return { result, ms: performance.now() - startedMs };
}

/** From now until requests are served and the probe says so. */
async function untilServed(): Promise<number> {
  const { ms } = await timed(async () => {
    await expect.poll(async () => (await create(randomUUID())).status, { timeout: 20_000 }).toBe(201);
    await expect.poll(readyz, { timeout: 5000 }).toBe(200);
  });
  service.faults.length = 0;
  return ms;
}

describe("a database that falls silent", () => {
  test("costs 503 within the limit and readiness within a second; when it answers again, so does the service", async () => {
    expect(await readyz()).toBe(200);
    // More than the pool has connections.
    await Promise.all(Array.from({ length: 20 }, async () => await create(randomUUID())));
    proxy.silence();
    const requests = Array.from(
      { length: 20 },
      async () => await timed(async () => await create(randomUUID())),
    );
    const ready = timed(async () => await expect.poll(readyz, { timeout: 5000, interval: 10 }).toBe(503));
    const answers = await Promise.all(requests);
    for (const { result } of answers) {
      expect(result.status).toBe(503);
      expect(result.headers["retry-after"]).toBe("1");
    }
    const slowestMs = Math.max(...answers.map(({ ms }) => ms));
    // The wait for a connection of the pool, and then for it to be made.
    expect(slowestMs).toBeLessThan(STATEMENT_MS + ANSWER_MS_MAX);
    const { ms: readyMs } = await ready;
    expect(readyMs).toBeLessThan(3000);
    // While it lasts, the probe itself never waits longer than a second and does not fill the pools.
    const probes = await Promise.all(Array.from({ length: 50 }, async () => await timed(readyz)));
    expect(new Set(probes.map(({ result }) => result))).toEqual(new Set([503]));
    expect(Math.max(...probes.map(({ ms }) => ms))).toBeLessThan(1500);
    proxy.restore();
    const servedMs = await untilServed();
    console.info(
      `silent: 503 after ${Math.round(slowestMs)} ms at most, not ready after ${Math.round(readyMs)} ms; ` +
        `served again after ${Math.round(servedMs)} ms`,
    );
  });

  test.each(["payment_links", "quotes"])(
    "a write to %s whose answer gets lost is replayed by its key",
    async (noun) => {
      const key = randomUUID();
      const body = noun === "quotes" ? { amount: 5000, currency: "BRL", payment_method: "pix" } : LINK;
      const write = async () => await api.post(`/v1/${noun}`, body, { idempotencyKey: key });
      proxy.silence({ answersOnly: true, from: key });
      const { result: lost, ms } = await timed(write);
      expect(lost.status).toBe(503);
      expect(ms).toBeLessThan(ANSWER_MS_MAX + 1000);
      expect(await rows.count("test.idempotency WHERE key = $1", [key])).toBe(1);
      proxy.restore();
      const replay = await write();
      expect({ status: replay.status, replay: replay.headers["idempotent-replay"] }).toEqual({
        status: 201,
        replay: "true",
      });
      expect((await write()).text).toBe(replay.text);
      const table = noun === "quotes" ? "test.quote" : "test.payment_link";
      expect(await rows.count(`${table} WHERE id = $1`, [replay.body.id])).toBe(1);
      service.faults.length = 0;
    },
  );

  test("where only the announcements get lost, a key that another process revoked is refused in seconds", async () => {
    const other = await secondService(service);
    const { id, key } = await service.createKey(tenant.id, "test");
    const used = new Api(service, key);
    const list = async () => (await used.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status;
    const listeners =
      "pg_stat_activity WHERE datname = current_database() AND application_name = 'paylink cache'";
    await expect.poll(async () => await rows.count(listeners), { timeout: 15_000 }).toBe(2);
    // It asks once a second: from the second answer on what it keeps counts.
    await expect
      .poll(async () => await rows.count(`${listeners} AND query = 'SELECT 1'`), { timeout: 15_000 })
      .toBe(2);
    expect(await list()).toBe(200);
    proxy.silence({ of: "paylink cache" });
    await createClient(IdentityService, other.core.transport).revokeApiKey({ id }, service.internal);
    // Kept, or this test would show nothing.
    expect(await list()).toBe(200);
    const { ms } = await timed(
      async () => await expect.poll(list, { timeout: 10_000, interval: 20 }).toBe(401),
    );
    console.info(`the revoked key is refused after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(5000);
    proxy.restore();
    await other.close();
    await untilServed();
  });
});

describe("statements that take too long", () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = service.core.pools["test"] as pg.Pool;
  });

  test("are ended by the server in a request, and may take their time in long work", async () => {
    const slow = "SELECT pg_sleep(1.5)";
    await expect(pool.query(slow)).rejects.toMatchObject({ code: "57014" });
    await expect(inTransaction(pool, async (client) => await client.query(slow))).rejects.toMatchObject({
      code: "57014",
    });
    const limit = 5000;
    expect((await atLength(pool, limit, async (client) => await client.query(slow))).rowCount).toBe(1);
    expect((await inTransaction(pool, async (client) => await client.query(slow), limit)).rowCount).toBe(1);
    await expect(atLength(pool, 100, async (client) => await client.query(slow))).rejects.toMatchObject({
      code: "57014",
    });
    const shown = await Promise.all(
      Array.from({ length: 8 }, async () => await pool.query("SHOW statement_timeout")),
    );
    for (const {
      rows: [row],
    } of shown)
      expect(row).toEqual({ statement_timeout: "1s" });
  });

  test("a name that PostgreSQL would cut is refused", async () => {
    const query = { name: "n".repeat(64), text: "SELECT 1" };
    await expect(inTransaction(pool, async (client) => await client.query(query))).rejects.toThrow(
      /63 bytes/,
    );
    expect((await pool.query({ ...query, name: "n".repeat(63) })).rowCount).toBe(1);
  });
});

describe("a database that takes no writes, as a standby after a failover", () => {
  const name = () => new URL(service.databaseUrl).pathname.slice(1);

  test("is not served from: 503 with Retry-After, not ready, and served again when it takes writes", async () => {
    await rows.run(`ALTER DATABASE ${name()} SET default_transaction_read_only = on`);
    await rows.read(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await expect.poll(readyz, { timeout: 5000 }).toBe(503);
    const lines: string[] = [];
    const gateway = createGateway({
      transport: service.transport,
      services: [IdentityService, LinksService],
      coreToken: CORE_TOKEN,
      versions: [{ name: "v1" }],
      logger: createLog("error", { write: (line) => void lines.push(line) }),
      publicUrl: "http://127.0.0.1:8080",
      mediaBase: MEDIA_BASE,
      isReady: service.core.isReady,
    });
    service.faults.length = 0;
    const { status, headers } = await new Api({ gateway }, tenant.testKey).post("/v1/payment_links", LINK);
    // By the core, which knows why.
    expect([service.faults.length, lines]).toEqual([1, []]);
    await gateway.close();
    expect({ status, retryAfter: headers["retry-after"] }).toEqual({ status: 503, retryAfter: "1" });
    await rows.run(`ALTER DATABASE ${name()} RESET default_transaction_read_only`);
    await untilServed();
  });

  test("is left when that shows on a connection that is in use", async () => {
    const pool = service.core.pools["test"] as pg.Pool;
    const pidOf = async (client: pg.PoolClient) =>
      (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;
    for (const sql of [
      "SET default_transaction_read_only = on",
      "BEGIN READ ONLY; DELETE FROM idempotency; COMMIT",
    ]) {
      const client = await pool.connect();
      client.on("error", () => undefined);
      const pid = await pidOf(client);
      await client.query(sql).catch(({ code }: pg.DatabaseError) => expect(code).toBe("25006"));
      client.release();
      const isThere = async () => await rows.count("pg_stat_activity WHERE pid = $1", [pid]);
      await expect.poll(isThere).toBe(0);
      expect((await create(randomUUID())).status).toBe(201);
    }
    service.faults.length = 0;
  });
});
