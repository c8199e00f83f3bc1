import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SandboxAction, type CheckoutSession } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const OPEN_MAX = 70;
const DAY_SECONDS = 86_400;

const service = await forFile(
  startService("direct", {
    quotas: { openSessionsPerLink: OPEN_MAX, pictures: 1, pictureBytes: 1 },
  }),
);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const pricing = createClient(PricingService, service.core.transport);
const merchant = await createMerchant(service);
const abroad = await createMerchant(service, { payoutCurrency: "USD" });

/** Sessions opened by as many payers at the same moment. */
async function openAll(linkId: string, count: number): Promise<{ payer: Payer; session: CheckoutSession }[]> {
  const payers = Array.from({ length: count }, () => new Payer(service, linkId));
  return await Promise.all(payers.map(async (payer) => ({ payer, session: await payer.open() })));
}

/** The next whole second, so that what follows at once is in the same one. */
function toNextSecond(): void {
  service.clock.set(new Date((Math.floor(service.clock.nowMs() / 1000) + 1) * 1000));
}

const OF_LINK = "test.price_list WHERE link_id = $1";
const PRICES_OF_LINK = `test.price p JOIN test.checkout_option o ON o.price_id = p.id
  JOIN test.price_list l ON l.id = o.price_list_id WHERE l.link_id = $1`;
const putRule = async (percentPpm: bigint): Promise<string> => {
  const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm, fixed: 40n, min: 100n };
  const put = { tenantId: merchant.tenant.id, mode: Mode.TEST, ...rule };
  return (await pricing.putPricingRule(put, service.internal)).ruleId;
};

/** Books and prices, looked through as they are in operation. */
async function expectSound(): Promise<void> {
  service.clock.advance(4000);
  await service.core.tasks.check();
  const standings = await service.core.checks.standings();
  expect(standings.find(({ mode }) => mode === "test")).toMatchObject({
    bookProblemCount: 0,
    priceDifferenceCount: 0,
  });
  expect((await checkLedger(service)).problems).toEqual([]);
}

describe("sessions of one link", () => {
  test("share their prices while rules stay as they are: each writes a row of its own and no other", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 12 });
    const [first] = await openAll(linkId, 1);
    const before = await rows.countAll("test");
    service.clock.advance(500);
    const later = await openAll(linkId, 3);
    const after = await rows.countAll("test");
    expect(after).toEqual({ ...before, checkout_session: (before["checkout_session"] ?? 0) + 3 });
    for (const { session } of later) {
      expect(session.options).toEqual(first?.session.options);
      expect(session.options).toHaveLength(13);
    }
  });

  test("64 at the same moment make one list, and their payments have its very values", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 2 });
    const opened = await openAll(linkId, 64);
    expect(await rows.count(OF_LINK, [linkId])).toBe(1);
    expect(await rows.count(PRICES_OF_LINK, [linkId])).toBe(3);
    for (const { payer, session } of opened.slice(0, 8)) {
      const { paymentId } = await payer.start();
      await payer.simulate(SandboxAction.APPROVE);
      const [shown] = session.options;
      const { body } = await merchant.api.get(`/v1/payments/${paymentId}`);
      expect(body).toMatchObject({ status: "succeeded", amount: Number(shown?.payerTotal) });
      expect(body.fee_amount).toBe(Number(shown?.feeAmount));
      const [{ same } = {}] = await rows.read(
        `SELECT r.payer_total_minor = $2 AND r.total_fee_minor = $3 AND o.price_id IS NOT NULL AS same
          FROM test.payment p JOIN test.price r ON r.id = p.price_id
          JOIN test.charge c ON c.payment_id = p.id JOIN test.checkout_session s ON s.id = c.session_id
          LEFT JOIN test.checkout_option o ON o.price_list_id = s.price_list_id AND o.price_id = p.price_id
          WHERE p.id = $1`,
        [paymentId, body.amount, body.fee_amount],
      );
      expect(same).toBe(true);
    }
    await expectSound();
  });

  test("64 with a rule that changes among them: each has one rule's prices, and later ones the new rule's", async () => {
    const linkId = await merchant.newLink({ campaign: true, payment_methods: ["pix"] });
    const ruleIds: string[] = [];
    const change = async (): Promise<void> => void ruleIds.push(await putRule(20_000n));
    await Promise.all([openAll(linkId, 32), change(), openAll(linkId, 32)]);
    await openAll(linkId, 1);
    const read = await rows.read(
      `SELECT r.rule_id, r.percent_ppm::int AS ppm, r.percent_amount_minor::int AS percent_minor
        FROM test.checkout_session s JOIN test.checkout_option o ON o.price_list_id = s.price_list_id
        JOIN test.price r ON r.id = o.price_id WHERE s.link_id = $1 ORDER BY s.created_at, s.id`,
      [linkId],
    );
    expect(read).toHaveLength(65);
    expect(read.at(-1)).toEqual({ rule_id: ruleIds[0], ppm: 20_000, percent_minor: 320 });
    for (const row of read) expect([158, 320]).toContain(row["percent_minor"]);
    const lists = await rows.count(OF_LINK, [linkId]);
    expect(lists).toBeGreaterThanOrEqual(1);
    expect(lists).toBeLessThanOrEqual(2);
  });

  test("with a rate share one lock in the second in which they begin, and hold it for 900 seconds each", async () => {
    const linkId = await abroad.newLink({ campaign: true, currency: "USD", max_installments: 3 });
    toNextSecond();
    const [together, again] = [await openAll(linkId, 4), await openAll(linkId, 4)];
    service.clock.advance(10);
    const [later] = await openAll(linkId, 1);
    const sessions = [...together, ...again, ...(later ? [later] : [])].map(({ session }) => session);
    for (const { fx, expiresAt } of sessions) {
      expect(fx?.validUntil).toEqual(expiresAt);
      expect(expiresAt?.seconds).toBe((fx?.lockedAt?.seconds ?? 0n) + 900n);
    }
    const begun = new Set(sessions.map(({ fx }) => fx?.lockedAt?.seconds));
    const locks = new Set(sessions.map(({ fx }) => fx?.rateHistoryId));
    expect(locks.size).toBe(begun.size);
    expect(locks.size).toBeLessThan(sessions.length);
    expect(later?.session.fx?.rateHistoryId).not.toBe(together[0]?.session.fx?.rateHistoryId);
    const misfits = `test.checkout_session s JOIN test.checkout_option o ON o.price_list_id = s.price_list_id
      JOIN test.price r ON r.id = o.price_id JOIN test.fx_rate_history h ON h.id = r.fx_rate_history_id
      WHERE s.link_id = $1 AND (s.created_at, h.locked_at) IS DISTINCT FROM (h.locked_at, r.fx_locked_at)`;
    expect(await rows.count(misfits, [linkId])).toBe(0);
  });

  test("with a rate that changes among them have the one or the other, never a mixture", async () => {
    const linkId = await abroad.newLink({ campaign: true, currency: "USD", max_installments: 3 });
    const publish = async (spotMicros: bigint) =>
      await pricing.publishFxRate(
        { mode: Mode.TEST, spotMicros, maxAgeSeconds: 4_000_000_000n },
        service.internal,
      );
    toNextSecond();
    await Promise.all([openAll(linkId, 32), publish(5_600_000n), openAll(linkId, 32)]);
    const [last] = await openAll(linkId, 1);
    await publish(5_432_100n);
    expect(last?.session.fx?.rate).toBe(5_684_000n);
    const mixed = `(SELECT o.price_list_id FROM test.checkout_option o
      JOIN test.price_list l ON l.id = o.price_list_id JOIN test.price r ON r.id = o.price_id
      WHERE l.link_id = $1 GROUP BY 1 HAVING count(DISTINCT r.fx_rate_history_id) <> 1 OR count(*) <> 4) mixed`;
    expect(await rows.count(mixed, [linkId])).toBe(0);
    expect(await rows.count("test.checkout_session WHERE link_id = $1", [linkId])).toBe(65);
  });

  test("are at most as many as may be open at a time; one that is open goes on, and room comes with time", async () => {
    const linkId = await merchant.newLink({ campaign: true, payment_methods: ["pix"] });
    const [opened] = await openAll(linkId, OPEN_MAX);
    const counted = await rows.countAll("test");
    const refused = { status: "ResourceExhausted", code: "quota_exceeded", param: undefined };
    expect(await refusalOf(new Payer(service, linkId).open())).toMatchObject(refused);
    expect(await rows.countAll("test")).toEqual(counted);
    const page = await service.gateway.inject({
      method: "POST",
      url: `/pay/${linkId}/sessions`,
      headers: { "content-type": "application/x-www-form-urlencoded", "accept-language": "en" },
      payload: "",
    });
    expect([page.statusCode, page.headers["retry-after"]]).toEqual([429, "60"]);
    expect(page.body).toContain("Too many requests for now");
    expect((await opened?.payer.start())?.paymentId).toMatch(/^pay_/);
    service.clock.advance(900);
    await openAll(linkId, 1);
  });
});

describe("a day after their end", () => {
  const past = async (): Promise<void> => {
    service.clock.advance(900 + DAY_SECONDS);
    await service.core.tasks.removePast();
  };

  test("sessions without a payment are gone with prices and rates; one with a payment keeps all it showed", async () => {
    await past();
    const linkId = await abroad.newLink({ campaign: true, currency: "USD", max_installments: 12 });
    const before = await rows.countAll("test");
    await openAll(linkId, 20);
    service.clock.advance(10);
    const [late, failed, paid] = await openAll(linkId, 3);
    const { paymentId } = (await late?.payer.start()) ?? { paymentId: "" };
    await failed?.payer.start();
    await failed?.payer.simulate(SandboxAction.DECLINE);
    await paid?.payer.payByPix();
    service.clock.advance(1000);
    await service.core.tasks.checkCharges();
    await service.core.tasks.removePast();
    expect(await rows.count("test.checkout_session WHERE link_id = $1", [linkId])).toBe(24);
    await past();
    const kept = await rows.read("SELECT id FROM test.checkout_session WHERE link_id = $1 ORDER BY id", [
      linkId,
    ]);
    const expected = [late, failed, paid].map((one) => one?.payer.sessionId ?? "").toSorted();
    expect(kept.map(({ id }) => id)).toEqual(expected);
    const after = await rows.countAll("test");
    const lists = await rows.count(OF_LINK, [linkId]);
    expect(after["price_list"]).toBe((before["price_list"] ?? 0) + lists);
    expect(after["price"]).toBe((before["price"] ?? 0) + 13 * lists);
    expect(after["fx_rate_history"]).toBe((before["fx_rate_history"] ?? 0) + lists);
    expect(after["checkout_option"]).toBe((before["checkout_option"] ?? 0) + 13 * lists);
    // Money for a payment that ended unpaid may still come: it finds payment, price and session.
    const receipt = await late?.payer.receipt(
      paymentId.replace("_", ""),
      late.session.options[0]?.payerTotal ?? 0n,
    );
    expect(receipt?.exceptionId).toMatch(/^exc_/);
    expect((await late?.payer.session())?.payment?.hasException).toBe(true);
    await expectSound();
  });

  test("the price of a quote stays after the sessions that showed it", async () => {
    const body = { amount: 15_990, currency: "BRL", payment_method: "pix" };
    const { body: quote } = await merchant.api.post("/v1/quotes", body);
    const { body: link } = await merchant.api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
    await openAll(link.id, 2);
    expect(await rows.count(OF_LINK, [link.id])).toBe(1);
    await past();
    expect(await rows.count(OF_LINK, [link.id])).toBe(0);
    const priced =
      "test.quote q JOIN test.price p ON p.tenant_id = q.tenant_id AND p.id = q.price_id WHERE q.id = $1";
    expect(await rows.count(priced, [quote.id])).toBe(1);
  });

  test("a list that is shown anew at that very moment stays whole, and nothing fails", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 3 });
    for (let round = 0; round < 5; round++) {
      await openAll(linkId, 4);
      service.clock.advance(900 + DAY_SECONDS);
      const removing = [service.core.tasks.removePast(), service.core.tasks.removePast()];
      const [opened] = await Promise.all([openAll(linkId, 16), ...removing]);
      for (const { payer } of opened) expect((await payer.session()).options).toHaveLength(4);
    }
    await past();
    expect(await rows.count(OF_LINK, [linkId])).toBe(0);
  });

  test.each(["price", "fx_rate_history"])("no other transaction deletes or changes a %s", async (table) => {
    await openAll(await abroad.newLink({ currency: "USD" }), 1);
    const refused = new RegExp(`${table} is append-only`);
    await expect(rows.run(`DELETE FROM test.${table}`)).rejects.toThrow(refused);
    await expect(rows.run(`UPDATE test.${table} SET rate_micros = 1`)).rejects.toThrow(refused);
    await expect(rows.run(`TRUNCATE test.${table} CASCADE`)).rejects.toThrow("append-only");
    // Nor does the removal's own word help against what refers to the row.
    await rows.run("SET paylink.removal TO 'past sessions'");
    await expect(rows.run(`DELETE FROM test.${table}`)).rejects.toThrow(/foreign key|refers to/);
    await rows.run("RESET paylink.removal");
  });
});
