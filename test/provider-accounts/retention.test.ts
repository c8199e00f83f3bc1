import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { advance, connectMerchant, startLive } from "./live-merchant.ts";

const DAY_SECONDS = 86_400;

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
const removePast = async () => await live.service.core.tasks.removePast();

/** Stores a callback as it came so many days ago. */
async function callback(
  of: { tenant: { id: string }; accountId: string },
  days: number,
  isAnswered: boolean,
) {
  const created = new Date(live.service.clock.nowMs() - days * DAY_SECONDS * 1000);
  await rows.run(
    `INSERT INTO live.provider_callback
       (tenant_id, account_id, body_hash, refers_to, attempt_count, unknown_count, due_at, created_at)
     VALUES ($1, $2, $3, '{}', 1, 0, $4, $5)`,
    [of.tenant.id, of.accountId, `${days} ${isAnswered}`, isAnswered ? null : created, created],
  );
}

test("answered callbacks are removed after 30 days, and others stay until they are answered", async () => {
  const merchant = await connectMerchant(live);
  for (const [days, isAnswered] of [
    [29, true],
    [31, true],
    [31, false],
  ] as const) {
    await callback(merchant, days, isAnswered);
  }
  await removePast();
  const left = await rows.read(
    "SELECT body_hash AS hash FROM live.provider_callback WHERE account_id = $1 ORDER BY body_hash",
    [merchant.accountId],
  );
  expect(left).toEqual([{ hash: "29 true" }, { hash: "31 false" }]);
});

test("the cursors and the address of a retired account go when nothing of it is open and its money is past refunds", async () => {
  const [retired, busy, active] = [
    await connectMerchant(live),
    await connectMerchant(live),
    await connectMerchant(live),
  ];
  const { paymentId } = await busy.start();
  for (const { accountId: id, as } of [retired, busy]) await live.providers.retireProviderAccount({ id }, as);
  const cursors = async ({ accountId }: { accountId: string }) =>
    (await rows.read("SELECT FROM live.provider_sweep WHERE account_id = $1", [accountId])).length;
  const callBack = async ({ path: url }: { path: string }) =>
    (await live.service.gateway.inject({ method: "POST", url, payload: "{}" })).statusCode;
  advance(live, 99 * DAY_SECONDS);
  await removePast();
  // It has no proof.
  expect(await callBack(retired)).toBe(403);
  expect([await cursors(retired), await cursors(busy), await cursors(active)]).toEqual([3, 3, 3]);
  advance(live, 2 * DAY_SECONDS);
  await removePast();
  expect([await cursors(retired), await cursors(busy), await cursors(active)]).toEqual([0, 3, 3]);
  expect([await callBack(retired), await callBack(busy)]).toEqual([404, 403]);
  await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
  await removePast();
  expect([await cursors(busy), await cursors(active)]).toEqual([0, 3]);
  const { moneyCount } = await live.providers.sweepProviderAccount({ id: retired.accountId }, retired.as);
  expect(moneyCount).toBe(0n);
});
