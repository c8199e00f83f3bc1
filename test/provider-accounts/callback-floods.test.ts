import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isAwaited } from "../../src/provider-accounts/callback-records.ts";
import { forFile } from "../support/for-file.ts";
import { PAID_ONCE } from "../live-pix/outcome.ts";
import { Scene } from "../live-pix/scene.ts";

const scene = await forFile(Scene.start());
const { bank, service } = scene.live;
const [merchant, other] = [await scene.merchant(), await scene.merchant()];
bank.callbacks.mode = "lost";
const paths = new Map<object, string>();
for (const owner of [merchant, other]) paths.set(owner, `${owner.path}?hmac=${await scene.register(owner)}`);
const send = async (owner: typeof merchant, txids: readonly string[], more: object = {}) => {
  const payload = JSON.stringify({ pix: txids.map((txid) => ({ txid })), ...more });
  const headers = { "content-type": "application/json" };
  return await service.gateway.inject({ method: "POST", url: paths.get(owner) ?? "", payload, headers });
};
const unknown = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("a callback that names 8,000 charges is kept with 200 of them, and money of the others is found later", async () => {
  const [near, far] = [await merchant.start(), await merchant.start()];
  for (const { reference } of [near, far]) bank.pay(reference, 15_990n);
  const names = [near.reference, ...unknown(8000, "x"), far.reference];
  expect((await send(merchant, names)).statusCode).toBe(200);
  const [kept] = await scene.rows.read("SELECT cardinality(refers_to) AS n FROM live.provider_callback");
  expect(kept).toEqual({ n: 200 });
  await scene.pass(0, ["answerCallbacks"]);
  expect(await scene.outcome(merchant, near.paymentId)).toEqual(PAID_ONCE);
  expect(await merchant.status(far.paymentId)).toBe("pending");
  await scene.pass(60, ["checkCharges"]);
  expect(await scene.outcome(merchant, far.paymentId)).toEqual(PAID_ONCE);
});

test("a callback of more elements than a bank's news have is kept unread, and its money is found later", async () => {
  const { reference, paymentId } = await merchant.start();
  bank.pay(reference, 15_990n);
  const ones = Array.from({ length: 20_000 }, () => 1);
  expect((await send(merchant, [reference], { ones })).statusCode).toBe(200);
  const where = "live.provider_callback WHERE $1 = ANY (refers_to)";
  expect(await scene.rows.count(where, [reference])).toBe(0);
  await scene.pass(60, ["checkCharges"]);
  expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
});

test("a callback that was kept with 15,000 unknown references is answered in one look-up", async () => {
  await scene.rows.run(
    `INSERT INTO live.provider_callback (tenant_id, account_id, body_hash, refers_to, attempt_count, due_at, created_at)
      SELECT tenant_id, id, 'large', (SELECT array_agg('x' || number) FROM generate_series(1, 15000) AS number), 0,
        created_at, created_at
      FROM live.provider_account WHERE id = $1`,
    [merchant.accountId],
  );
  await scene.pass(0, ["answerCallbacks"]);
  const where =
    "live.provider_callback WHERE body_hash = 'large' AND unknown_count = 15000 AND due_at IS NULL";
  expect(await scene.rows.count(where)).toBe(1);
});

test("an account with 1,000 open callbacks takes no new one until one is answered, and others do", async () => {
  expect((await send(merchant, ["repeated"])).statusCode).toBe(200);
  await scene.rows.run(
    `INSERT INTO live.provider_callback (tenant_id, account_id, body_hash, refers_to, attempt_count, due_at, created_at)
      SELECT tenant_id, id, 'open ' || number, '{x}', 0, created_at + interval '1 year', created_at
      FROM live.provider_account, generate_series(1, 999) AS number WHERE id = $1`,
    [merchant.accountId],
  );
  const refused = await send(merchant, ["one more"]);
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ error: { code: "service_unavailable" } });
  expect((await send(merchant, ["repeated"])).statusCode).toBe(200);
  expect((await send(other, ["one more"])).statusCode).toBe(200);
  await scene.pass(0, ["answerCallbacks"]);
  expect((await send(merchant, ["one more"])).statusCode).toBe(200);
});

/** Stores answered callbacks of an account, each so many seconds older than the one before. */
async function answered({ accountId }: typeof merchant, count: number, secondsApart: number): Promise<void> {
  await scene.rows.run(
    `INSERT INTO live.provider_callback
        (tenant_id, account_id, body_hash, refers_to, attempt_count, unknown_count, created_at)
      SELECT tenant_id, id, 'answered ' || number, '{}', 1, 0, $3::timestamptz - number * $4::float8 * interval '1 second'
      FROM live.provider_account, generate_series(1, $2) AS number WHERE id = $1`,
    [accountId, count, new Date(service.clock.nowMs()), secondsApart],
  );
}
const kept = async ({ accountId }: typeof merchant) =>
  await scene.rows.count("live.provider_callback WHERE account_id = $1", [accountId]);

test("an answered callback keeps nothing that it refers to, and its repetition is not stored again", async () => {
  const owner = await scene.merchant();
  paths.set(owner, `${owner.path}?hmac=${await scene.register(owner)}`);
  const names = unknown(200, "x");
  expect((await send(owner, names)).statusCode).toBe(200);
  await scene.pass(0, ["answerCallbacks"]);
  const [row] = await scene.rows.read(
    "SELECT refers_to, unknown_count AS n, due_at FROM live.provider_callback WHERE account_id = $1",
    [owner.accountId],
  );
  expect(row).toEqual({ refers_to: [], n: 200, due_at: null });
  expect((await send(owner, names)).statusCode).toBe(200);
  expect(await kept(owner)).toBe(1);
});

test("an account that stored 1,200 callbacks within a minute takes the next one after it, and others do", async () => {
  const owner = await scene.merchant();
  paths.set(owner, `${owner.path}?hmac=${await scene.register(owner)}`);
  await answered(owner, 1199, 0.01);
  expect((await send(owner, ["last"])).statusCode).toBe(200);
  const refused = await send(owner, ["one more"]);
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ error: { code: "service_unavailable" } });
  expect((await send(other, ["of another"])).statusCode).toBe(200);
  await scene.pass(60, []);
  expect((await send(owner, ["one more"])).statusCode).toBe(200);
});

test("an account keeps its 10,000 newest answered callbacks, and all that are open", async () => {
  const owner = await scene.merchant();
  paths.set(owner, `${owner.path}?hmac=${await scene.register(owner)}`);
  await answered(owner, 10_003, 1);
  await scene.pass(60, []);
  expect((await send(owner, ["open"])).statusCode).toBe(200);
  await scene.pass(0, ["removePast"]);
  expect(await kept(owner)).toBe(10_001);
  const oldest =
    "live.provider_callback WHERE body_hash IN ('answered 10001', 'answered 10003') AND account_id = $1";
  expect(await scene.rows.count(oldest, [owner.accountId])).toBe(0);
});

test("a callback is compared only with open ones of its single charge, whatever 500 others hold", async () => {
  const { accountId } = await scene.merchant();
  const [owner] = await scene.rows.read("SELECT tenant_id FROM live.provider_account WHERE id = $1", [
    accountId,
  ]);
  const account = { tenantId: String(owner?.["tenant_id"]), accountId };
  await scene.rows.run(
    `INSERT INTO live.provider_callback (tenant_id, account_id, body_hash, refers_to, attempt_count, due_at, created_at)
      SELECT tenant_id, id, 'shared ' || number, (SELECT array_agg('x' || n) FROM generate_series(1, 199) AS n) || kept, 0,
        created_at + interval '1 year', created_at
      FROM live.provider_account, generate_series(1, 500) AS number, text('last' || number) AS kept WHERE id = $1
      UNION ALL SELECT tenant_id, id, 'alone ' || number, ARRAY['alone' || number], 0, created_at, created_at
      FROM live.provider_account, generate_series(1, 400) AS number WHERE id = $1`,
    [accountId],
  );
  const options = "-c search_path=live";
  const pool = new pg.Pool({ connectionString: service.databaseUrl, options, max: 1 });
  onTestFinished(async () => await pool.end());
  const rowsRead = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS count FROM pg_stat_xact_user_tables
        WHERE schemaname = 'live' AND relname = 'provider_callback'`,
    );
    return rows[0]?.count ?? Number.NaN;
  };
  // Statistics are sent between transactions.
  await pool.query("BEGIN");
  const look = async (names: readonly string[]): Promise<unknown[]> => {
    const before = await rowsRead();
    const isFound = await isAwaited({ pool }, account, { refersTo: names, chargeIds: [] });
    return [isFound, (await rowsRead()) - before];
  };
  expect(await look(["alone7"])).toEqual([true, 1]);
  expect(await look(["x1"])).toEqual([false, 0]);
  expect(await look(unknown(200, "x"))).toEqual([false, 0]);
  expect(await look(["alone7", "alone8"])).toEqual([false, 0]);
});
