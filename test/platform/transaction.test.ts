import pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { LimitedClient, type ClientLimits } from "../../src/platform/db/limited-client.ts";
import { atLength, inTransaction } from "../../src/platform/db/transaction.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";

const BROKEN = new Error("broken");
const USUAL = "20s";
const LONG_MS = 60_000;

const { url } = await cloneDatabase();
const limits: ClientLimits = { answerMs: 400, connectMs: 10_000 };
const options =
  "-c search_path=identity -c statement_timeout=20000 -c idle_in_transaction_session_timeout=20000";
const pool = new pg.Pool({ connectionString: url, options, max: 1, Client: LimitedClient, ...limits });
afterAll(async () => await pool.end());
const rows = await forFile(new DatabaseRows(url).open());
beforeEach(async () => await rows.run("DELETE FROM identity.route"));

const add = (client: pg.PoolClient, id: string) =>
  client.query("INSERT INTO route (id, tenant_id, mode) VALUES ($1, 'ten_1', 'test')", [id]);
const count = () => rows.count("identity.route");
const backendOf = async (client: Pick<pg.PoolClient, "query">) =>
  (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;
const limitsOf = async (client: Pick<pg.PoolClient, "query">) => {
  const { rows: found } = await client.query<{ statement: string; idle: string }>(
    `SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle`,
  );
  return [found[0]?.statement, found[0]?.idle];
};
/** Waits until the connection has noticed its end, between two queries. */
async function loseConnection(client: pg.PoolClient): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  client.once("end", resolve);
  await rows.run("SELECT pg_terminate_backend($1)", [await backendOf(client)]);
  await ended;
}

/** A query that takes longer than usual. */
const takeLong = (client: pg.PoolClient) => client.query("SELECT pg_sleep(0.7)");

describe("a transaction", () => {
  test("answers what the work does, and writes all of it", async () => {
    const answer = await inTransaction(pool, async (client) => {
      await add(client, "a");
      expect(await count()).toBe(0);
      await add(client, "b");
      return "done";
    });
    expect([answer, await count()]).toEqual(["done", 2]);
  });

  test("writes nothing of work that fails, and gives its connection back as it was", async () => {
    const backend = await backendOf(pool);
    const failing = inTransaction(pool, async (client) => {
      await add(client, "a");
      throw BROKEN;
    });
    await expect(failing).rejects.toBe(BROKEN);
    expect([await count(), await backendOf(pool)]).toEqual([0, backend]);
    await pool.query("INSERT INTO route (id, tenant_id, mode) VALUES ('c', 'ten_1', 'test')");
    expect(await count()).toBe(1);
  });

  test("whose connection dies fails, and leaves the pool one that lives", async () => {
    const backend = await backendOf(pool);
    const dying = inTransaction(pool, async (client) => {
      await loseConnection(client);
      await client.query("SELECT 1");
    });
    await expect(dying).rejects.toThrow("not queryable");
    expect(await backendOf(pool)).not.toBe(backend);
  });

  test("takes as long as it may, and what comes after it no longer than is usual", async () => {
    const found = await inTransaction(
      pool,
      async (client) => {
        await takeLong(client);
        return await limitsOf(client);
      },
      LONG_MS,
    );
    expect(found).toEqual(["1min", "1min"]);
    expect(await limitsOf(pool)).toEqual([USUAL, USUAL]);
    await expect(inTransaction(pool, takeLong)).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect(await inTransaction(pool, limitsOf)).toEqual([USUAL, USUAL]);
  });

  test("leaves no listener on its connection", async () => {
    const listeners = async () => {
      const client = await pool.connect();
      client.release();
      return client.listenerCount("error");
    };
    const before = await listeners();
    await inTransaction(pool, () => Promise.resolve());
    await expect(inTransaction(pool, () => Promise.reject(BROKEN))).rejects.toBe(BROKEN);
    await atLength(pool, LONG_MS, () => Promise.resolve());
    expect(await listeners()).toBe(before);
  });
});

describe("work at length", () => {
  test("has queries of its own length, and gives its connection back with the usual one", async () => {
    const backend = await backendOf(pool);
    const found = await atLength(pool, LONG_MS, async (client) => {
      await takeLong(client);
      return await limitsOf(client);
    });
    expect(found).toEqual(["1min", USUAL]);
    expect([await limitsOf(pool), await backendOf(pool)]).toEqual([[USUAL, USUAL], backend]);
    await expect(inTransaction(pool, takeLong)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test("that fails leaves no connection without limits", async () => {
    const backend = await backendOf(pool);
    await expect(atLength(pool, LONG_MS, () => Promise.reject(BROKEN))).rejects.toBe(BROKEN);
    expect(await backendOf(pool)).not.toBe(backend);
    expect(await limitsOf(pool)).toEqual([USUAL, USUAL]);
  });

  test("whose connection dies fails, and no more than that", async () => {
    const dying = atLength(pool, LONG_MS, async (client) => {
      await loseConnection(client);
      await client.query("SELECT 1");
    });
    await expect(dying).rejects.toThrow("not queryable");
    expect(await limitsOf(pool)).toEqual([USUAL, USUAL]);
  });
});
