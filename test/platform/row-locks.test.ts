import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linksEntities, PaymentLink } from "../../src/links/entities.ts";
import { hold, type Change } from "../../src/platform/write/change.ts";
import type { Claim } from "../../src/platform/write/claim.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { inTransaction } from "../../src/platform/db/transaction.ts";
import { kindsOf } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const DAY_SECONDS = 86_400;

const service = await forFile(startService());
const url = service.databaseUrl;
const rows = await forFile(new DatabaseRows(url).open());
const environment = await openEnvironment({ url, schema: "test", entities: linksEntities, poolMax: 2 });
afterAll(async () => await environment.orm.close());
const other = new pg.Client({ connectionString: url });
afterAll(async () => await other.end());
await other.connect();

/** What is done while another transaction has run this statement and is not at its end. */
async function during<T>(sql: string, values: unknown[], work: () => Promise<T>): Promise<T> {
  await other.query("BEGIN");
  try {
    await other.query(sql, values);
    return await work();
  } finally {
    await other.query("ROLLBACK");
  }
}

const LOCK_NOT_HAD = "55P03";
const isHeld = async (linkId: string, strength: "SHARE" | "NO KEY UPDATE"): Promise<boolean> =>
  await rows
    .run(`SELECT FROM test.payment_link WHERE id = $1 FOR ${strength} NOWAIT`, [linkId])
    .then(() => false)
    .catch((error: pg.DatabaseError) => {
      if (error.code === LOCK_NOT_HAD) return true;
      throw error;
    });

describe("a hold", () => {
  let merchant: Merchant;
  beforeAll(async () => {
    merchant = await createMerchant(service);
  });

  const active = (id: string): Change =>
    hold(PaymentLink, { tenantId: merchant.tenant.id, id, status: "active" });
  const claimOf = (key: string): Claim => ({
    tenantId: merchant.tenant.id,
    key,
    outcome: { fingerprint: Buffer.alloc(32), requestId: "req_1", response: new Uint8Array(), error: null },
    now: new Date(),
    expiresAt: new Date(Date.now() + DAY_SECONDS * 1000),
  });
  const claims = (key: string) => rows.count("test.idempotency WHERE key = $1", [key]);

  test("keeps the row from being changed until the commit, and from no reader's hold", async () => {
    const id = await merchant.newLink();
    await inTransaction(environment.pool, async (client) => {
      await environment.committer.write(client, [active(id)], undefined);
      expect([await isHeld(id, "SHARE"), await isHeld(id, "NO KEY UPDATE")]).toEqual([false, true]);
    });
    expect(await isHeld(id, "NO KEY UPDATE")).toBe(false);
  });

  test("takes its lock by an index, and joins its row with nothing", async () => {
    const id = await merchant.newLink();
    const plan = await inTransaction(environment.pool, async (client) => {
      await environment.committer.write(client, [active(id)], undefined);
      const { rows: prepared } = await client.query<{ statement: string }>(
        "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%FOR SHARE%'",
      );
      await client.query("SET LOCAL enable_seqscan = off");
      const explained = await client.query<Record<string, string>>(
        `EXPLAIN (GENERIC_PLAN) ${prepared[0]?.statement}`,
      );
      return explained.rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
    expect(plan).toContain("LockRows");
    expect(plan).toMatch(/One-Time Filter: .*\n.*Index Scan using .* on payment_link/);
    expect(plan).not.toMatch(/Nested Loop|Join/);
  });

  test.each([
    ["goes on where it has what was asked for still", "updated_at = now()", "committed", 1],
    ["undoes the commit where it has not", "status = 'canceled'", "overtaken", 0],
  ])("waits for who changes the row at that moment, and %s", async (_, set, result, claimed) => {
    const id = await merchant.newLink();
    const key = `hold-${result}`;
    await other.query("BEGIN");
    await other.query(`UPDATE test.payment_link SET ${set} WHERE id = $1`, [id]);
    const committed = environment.committer.commit([active(id)], undefined, claimOf(key));
    await expect
      .poll(() => rows.count("pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'"))
      .toBe(1);
    await other.query("COMMIT");
    expect(await committed).toBe(result);
    expect(await claims(key)).toBe(claimed);
  });

  test("of a row that is not so undoes the commit; that of a key that is taken waits for no row", async () => {
    const id = await merchant.newLink();
    expect(await environment.committer.commit([active("pl_none")], undefined, claimOf("hold-none"))).toBe(
      "overtaken",
    );
    expect(await claims("hold-none")).toBe(0);
    expect(await environment.committer.commit([active(id)], undefined, claimOf("hold-taken"))).toBe(
      "committed",
    );
    const again = await during("SELECT FROM test.payment_link WHERE id = $1 FOR UPDATE", [id], async () => {
      return await environment.committer.commit([active(id)], undefined, claimOf("hold-taken"));
    });
    expect(again).toBe("claimed_before");
  });
});

describe("what a transaction of one tenant holds keeps no other tenant's", () => {
  let one: Merchant;
  let two: Merchant;
  beforeAll(async () => {
    [one, two] = [await createMerchant(service), await createMerchant(service)];
  });

  /** Both tenants' are due, the held one's first. Afterwards the held one's come too. */
  async function expectApart(
    held: string,
    sweep: () => Promise<void>,
    done: () => Promise<readonly [unknown, unknown]>,
    [before, after]: readonly [unknown, unknown],
  ): Promise<void> {
    await during(held, [one.tenant.id], async () => {
      await expect(sweep()).rejects.toMatchObject({ code: LOCK_NOT_HAD });
      expect(await done()).toEqual([before, after]);
    });
    await sweep();
    expect(await done()).toEqual([after, after]);
  }

  test("links from expiring", async () => {
    const hook = { url: "http://127.0.0.1:3999/hook" };
    for (const { webhooks, as } of [one, two]) await webhooks.createWebhookEndpoint(hook, as);
    const ids = [await one.newLink({ expires_in: 59 }), await two.newLink({ expires_in: 60 })];
    service.clock.advance(60);
    const status = async (id = "") =>
      (await rows.read("SELECT status FROM test.payment_link WHERE id = $1", [id]))[0]?.["status"];
    await expectApart(
      "SELECT FROM test.webhook_endpoint WHERE tenant_id = $1 FOR UPDATE",
      service.core.tasks.expireLinks,
      async () => [await status(ids[0]), await status(ids[1])],
      ["active", "expired"],
    );
  });

  test("payments from being settled", async () => {
    const ids = [(await one.pay()).body.id, (await two.pay()).body.id];
    service.clock.advance(10 * DAY_SECONDS);
    await expectApart(
      "SELECT FROM test.payment WHERE tenant_id = $1 FOR UPDATE",
      service.core.tasks.settle,
      async () => [await kindsOf(one, ids[0]), await kindsOf(two, ids[1])],
      [["payment"], ["payment", "settlement"]],
    );
  });

  test("past sessions from being removed", async () => {
    for (const merchant of [one, two]) await new Payer(service, await merchant.newLink()).open();
    service.clock.advance(2 * DAY_SECONDS);
    const count = ({ tenant }: Merchant) =>
      rows.count("test.checkout_session WHERE tenant_id = $1", [tenant.id]);
    await expectApart(
      "SELECT FROM test.price_list WHERE tenant_id = $1 FOR SHARE",
      service.core.tasks.removePast,
      async () => [await count(one), await count(two)],
      [1, 0],
    );
  });

  test("past keys from being removed, however many are held", async () => {
    await one.newLink();
    await two.newLink();
    await rows.run(
      `INSERT INTO test.idempotency SELECT (jsonb_populate_record(i, jsonb_build_object('key', 'held-' || n))).*
        FROM test.idempotency i, generate_series(1, 10_000) n
        WHERE (tenant_id, key) = (SELECT tenant_id, key FROM test.idempotency WHERE tenant_id = $1 LIMIT 1)`,
      [one.tenant.id],
    );
    service.clock.advance(2 * DAY_SECONDS);
    const keys = ({ tenant }: Merchant) => rows.count("test.idempotency WHERE tenant_id = $1", [tenant.id]);
    const before = await keys(one);
    const held = "SELECT FROM test.idempotency WHERE tenant_id = $1 FOR UPDATE";
    await during(held, [one.tenant.id], async () => {
      await service.core.tasks.removePast();
      expect([await keys(one), await keys(two)]).toEqual([before, 0]);
    });
    await service.core.tasks.removePast();
    expect(await keys(one)).toBe(0);
  });

  test("charges from being looked after, however many are held", async () => {
    const started = async (merchant: Merchant) => {
      const payer = new Payer(service, await merchant.newLink({ campaign: true }));
      await payer.open();
      return (await payer.start()).paymentId;
    };
    for (let count = 0; count < 20; count++) await started(one);
    service.clock.advance(1);
    const id = await started(two);
    service.clock.advance(3600);
    const status = async () => (await two.api.get(`/v1/payments/${id}`)).body.status;
    await during("SELECT FROM test.charge WHERE tenant_id = $1 FOR UPDATE", [one.tenant.id], async () => {
      await service.core.tasks.checkCharges();
      expect(await status()).toBe("expired");
    });
  });
});
