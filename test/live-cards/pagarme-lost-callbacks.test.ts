import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { Payer } from "../support/payer.ts";
import { DAY } from "./paid-card.ts";
import { connectPagarme, pass, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

// The simulated Pagar.me has no address of callbacks here: each one is lost.
const cards = await forFile(startPagarmeService());
const { pagarme, service, providers } = cards;
const merchant = await connectPagarme(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const { tasks } = service.core;
// At noon in São Paulo: what is read once a day falls into the same days at whatever hour this runs.
const NOON_SECONDS = 15 * 3600;
const secondOfDay = Math.floor(service.clock.nowMs() / 1000) % DAY;
await pass(cards, (NOON_SECONDS - secondOfDay + DAY) % DAY);
const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const paid = async (installments = 1): Promise<string> =>
  await merchant.paid(await merchant.opened(), installments);

/** Lets days pass, and the worker read what is due. */
async function days(count: number): Promise<void> {
  await pass(cards, count * DAY);
  await tasks.sweepProviders();
  await tasks.readReceivables();
}

/** Lets time pass until all installments are settled, and the worker asks about the money no more. */
async function settled(id: string): Promise<void> {
  for (let week = 0; week < 20; week++) await days(7);
  const open = "live.charge WHERE payment_id = $1 AND settlement_check_at IS NOT NULL";
  expect(await rows.count(open, [id])).toBe(0);
}

/** A refund at Pagar.me's own page. */
async function refundThere(id: string, amount: number): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${pagarme.account().secretKey}:`).toString("base64")}`;
  const init = { method: "DELETE", headers: { authorization }, body: JSON.stringify({ amount }) };
  await fetch(`${pagarme.baseUrl}/charges/${chargeOf(id)}`, init);
}

const returned = async (id: string) =>
  await rows.read(
    `SELECT (told->>'amount')::int AS amount, told->>'reason' AS reason FROM live.event,
      LATERAL (SELECT convert_from(body, 'UTF8')::json->'data'->'return' AS told) AS data
      WHERE type = 'payment.returned' AND object_id = $1 ORDER BY 1`,
    [id],
  );
const problems = async () => (await checkLedger(service, Mode.LIVE)).problems;

describe("money that was taken at Pagar.me, of which each callback was lost", () => {
  const exceptionsOf = async (id: string) =>
    await rows.count("live.payment_exception WHERE payment_id = $1", [id]);
  const looks = (id: string) =>
    pagarme.requests.filter(({ query }) => query["code"] === referenceOf(id)).length;

  /** A payment whose charge could not be freed at its end, was watched and is asked about no more. */
  async function watched(): Promise<{ payer: Payer; id: string }> {
    pagarme.decide({ kind: "processing" });
    const payer = await merchant.opened();
    const id = await merchant.paid(payer, 3);
    for (let day = 0; day < 8; day++) await days(1);
    expect(await merchant.read(id)).toMatchObject({ status: "failed" });
    expect(await rows.count("live.charge WHERE payment_id = $1 AND is_open", [id])).toBe(0);
    return { payer, id };
  }

  test("after a charge that could not be freed was watched to its end is an exception, once", async () => {
    const { payer, id } = await watched();
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    await days(1);
    expect(await exceptionsOf(id)).toBe(1);
    const before = looks(id);
    for (let day = 0; day < 3; day++) await days(1);
    expect([await exceptionsOf(id), looks(id)]).toEqual([1, before]);
    expect((await payer.session()).payment?.hasException).toBe(true);
    expect(await merchant.read(id)).toMatchObject({ status: "failed" });
    expect(await problems()).toEqual([]);
  });

  test("is found after days without an answer, and another charge of the account moves nothing", async () => {
    const { id } = await watched();
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    const { payables } = pagarme.account();
    const [own] = payables.slice(-1);
    if (!own) throw new Error("there is no credit");
    payables.push({ ...own, id: own.id + 1000, charge: { ...own.charge, id: "ch_own" } });
    for (const call of ["listPayables", "listOrders"] as const) {
      pagarme.fail(call, { kind: "status", status: 500 });
      await expect(days(1)).rejects.toThrow("statements could not be read");
    }
    await days(40);
    expect(await exceptionsOf(id)).toBe(1);
    expect(await rows.count("live.unknown_money", [])).toBe(0);
  });

  test("while its card is with the issuer is a success when the statement is read", async () => {
    pagarme.decide({ kind: "processing" });
    const id = await merchant.paid(await merchant.opened());
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    service.clock.advance(120);
    pagarme.clock.advance(120);
    await providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
    expect(await merchant.read(id)).toMatchObject({ status: "succeeded" });
    expect(await exceptionsOf(id)).toBe(0);
  });
});

describe("money that went back at Pagar.me, of which each callback was lost", () => {
  test("by a chargeback of an installment after all payouts is a return with its reason, once", async () => {
    const id = await paid(3);
    await settled(id);
    pagarme.chargeback(chargeOf(id), 2);
    expect(await returned(id)).toEqual([]);
    for (let day = 0; day < 4; day++) await days(1);
    expect(await returned(id)).toEqual([{ amount: 33_333, reason: "chargeback" }]);
    expect(await merchant.read(id)).toMatchObject({ status: "succeeded", refunded_amount: 33_333 });
    const { receivables } = await merchant.ledger.listReceivables({ paymentId: id }, merchant.as);
    expect(receivables.map(({ chargeback }) => chargeback)).toEqual([0n, 33_333n, 0n]);
    expect(await problems()).toEqual([]);
  });

  test("by a refund at its dashboard is a return without a reason, once, beside one of ours", async () => {
    const id = await paid();
    await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 500 });
    await settled(id);
    for (const amount of [500, 900]) await refundThere(id, amount);
    for (let day = 0; day < 3; day++) await days(1);
    expect(await returned(id)).toEqual([
      { amount: 500, reason: null },
      { amount: 900, reason: null },
    ]);
    expect(await merchant.read(id)).toMatchObject({ refunded_amount: 1900 });
    expect(await problems()).toEqual([]);
  });

  test("is found after days without an answer, and after a reading that ended in the middle", async () => {
    const [first, second] = [await paid(), await paid()];
    for (const id of [first, second]) pagarme.chargeback(chargeOf(id));
    for (const call of ["listPayables", "listOrders"] as const) {
      pagarme.fail(call, { kind: "status", status: 500 });
      await expect(days(1)).rejects.toThrow("statements could not be read");
    }
    await days(40);
    for (const id of [first, second]) expect(await returned(id)).toHaveLength(1);
    expect(await problems()).toEqual([]);
  });

  test("is read in parts of a list where it is long, and of the merchant's own charges moves nothing", async () => {
    const id = await paid();
    await days(1);
    pagarme.chargeback(chargeOf(id));
    const { payables } = pagarme.account();
    const [own] = payables.filter(({ type }) => type === "chargeback").slice(-1);
    if (!own) throw new Error("there is no chargeback");
    for (let count = 1; count <= 600; count++) {
      const charge = { ...own.charge, id: `ch_own${count}` };
      const createdAt = new Date(own.createdAt.getTime() - count * 60_000);
      payables.push({ ...own, id: own.id + 1000 + count, charge, createdAt });
    }
    const asked = () => pagarme.requests.filter(({ query }) => query["type"] === "chargeback").length;
    const before = asked();
    await days(1);
    expect(asked() - before).toBeGreaterThan(1);
    expect(await returned(id)).toHaveLength(1);
    expect(await rows.count("live.unknown_money", [])).toBe(0);
  });

  test("is found though another charge cannot be read, which is reported and asked about again", async () => {
    const [bad, good] = [await paid(), await paid()];
    await days(1);
    for (const id of [bad, good]) pagarme.chargeback(chargeOf(id));
    const charge = pagarme.charge(chargeOf(bad));
    const { status } = charge;
    Object.assign(charge, { status: "something_new" });
    await days(1);
    expect(await returned(good)).toHaveLength(1);
    expect(service.faults.splice(0)).toMatchObject([
      { mode: "live", account_id: merchant.accountId, reference: referenceOf(bad) },
    ]);
    const { returnsSweptTo } = await service.core.providerStanding();
    expect(service.clock.nowMs() - (returnsSweptTo?.getTime() ?? 0)).toBe(60_000);
    await pass(cards, 60);
    await expect(tasks.answerCallbacks()).rejects.toThrow("callbacks could not be followed");
    Object.assign(charge, { status });
    await pass(cards, 60);
    await tasks.answerCallbacks();
    expect(await returned(bad)).toHaveLength(1);
  });

  test("is asked about later where Pagar.me fails about it alone, after three tries", async () => {
    const id = await paid();
    await days(1);
    pagarme.chargeback(chargeOf(id));
    pagarme.fail("listOrders", { kind: "status", status: 500 }, 4);
    const before = service.clock.nowMs();
    for (let count = 0; count < 3; count++) {
      await expect(days(1)).rejects.toThrow("statements could not be read");
    }
    const { returnsSweptTo } = await service.core.providerStanding();
    expect(returnsSweptTo?.getTime()).toBeLessThanOrEqual(before);
    await days(1);
    expect(service.faults.splice(0)).toMatchObject([{ reference: referenceOf(id) }]);
    await pass(cards, 60);
    await tasks.answerCallbacks();
    expect(await returned(id)).toHaveLength(1);
  });

  test("is found for an account that is retired, and at once where a person asks", async () => {
    const id = await paid();
    await providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
    pagarme.chargeback(chargeOf(id));
    await pass(cards, 120);
    await providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
    expect(await returned(id)).toEqual([{ amount: 100_000, reason: "chargeback" }]);
  });
});
