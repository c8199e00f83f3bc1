import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { expectSound, OPEN_MAX, PricedSessions } from "./priced-sessions.ts";

const payers = await PricedSessions.forFile();
const { service, rows, merchant, abroad } = payers;
const pricing = createClient(PricingService, service.core.transport);

/** The next whole second, so that what follows at once is in the same one. */
function toNextSecond(): void {
  service.clock.set(new Date((Math.floor(service.clock.nowMs() / 1000) + 1) * 1000));
}

const PRICES_OF_LINK = `test.price p JOIN test.checkout_option o ON o.price_id = p.id
  JOIN test.price_list l ON l.id = o.price_list_id WHERE l.link_id = $1`;
const putRule = async (percentPpm: bigint): Promise<string> => {
  const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm, fixed: 40n, min: 100n };
  const put = { tenantId: merchant.tenant.id, mode: Mode.TEST, ...rule };
  return (await pricing.putPricingRule(put, service.internal)).ruleId;
};

describe("sessions of one link", () => {
  test("share their prices while rules stay as they are: each writes a row of its own and no other", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 12 });
    const [first] = await payers.openAll(linkId, 1);
    const before = await rows.countAll("test");
    service.clock.advance(500);
    const later = await payers.openAll(linkId, 3);
    const after = await rows.countAll("test");
    expect(after).toEqual({ ...before, checkout_session: (before["checkout_session"] ?? 0) + 3 });
    for (const { session } of later) {
      expect(session.options).toEqual(first?.session.options);
      expect(session.options).toHaveLength(13);
    }
  });

  test("64 at the same moment make one list, and their payments have its very values", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 2 });
    const opened = await payers.openAll(linkId, 64);
    expect(await payers.countLists(linkId)).toBe(1);
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
    await expectSound(service);
  });

  test("64 with a rule that changes among them: each has one rule's prices, and later ones the new rule's", async () => {
    const linkId = await merchant.newLink({ campaign: true, payment_methods: ["pix"] });
    const ruleIds: string[] = [];
    const change = async (): Promise<void> => void ruleIds.push(await putRule(20_000n));
    await Promise.all([payers.openAll(linkId, 32), change(), payers.openAll(linkId, 32)]);
    await payers.openAll(linkId, 1);
    const read = await rows.read(
      `SELECT r.rule_id, r.percent_ppm::int AS ppm, r.percent_amount_minor::int AS percent_minor
        FROM test.checkout_session s JOIN test.checkout_option o ON o.price_list_id = s.price_list_id
        JOIN test.price r ON r.id = o.price_id WHERE s.link_id = $1 ORDER BY s.created_at, s.id`,
      [linkId],
    );
    expect(read).toHaveLength(65);
    expect(read.at(-1)).toEqual({ rule_id: ruleIds[0], ppm: 20_000, percent_minor: 320 });
    for (const row of read) expect([158, 320]).toContain(row["percent_minor"]);
    const lists = await payers.countLists(linkId);
    expect(lists).toBeGreaterThanOrEqual(1);
    expect(lists).toBeLessThanOrEqual(2);
  });

  test("with a rate share one lock in the second in which they begin, and hold it for 900 seconds each", async () => {
    const linkId = await abroad.newLink({ campaign: true, currency: "USD", max_installments: 3 });
    toNextSecond();
    const [together, again] = [await payers.openAll(linkId, 4), await payers.openAll(linkId, 4)];
    service.clock.advance(10);
    const [later] = await payers.openAll(linkId, 1);
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
    await Promise.all([payers.openAll(linkId, 32), publish(5_600_000n), payers.openAll(linkId, 32)]);
    const [last] = await payers.openAll(linkId, 1);
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
    const [opened] = await payers.openAll(linkId, OPEN_MAX);
    const counted = await rows.countAll("test");
    const refused = { status: "ResourceExhausted", code: "quota_exceeded", param: undefined };
    expect(await refusalOf(new Payer(service, linkId).open())).toMatchObject(refused);
    expect(await rows.countAll("test")).toEqual(counted);
    expect((await opened?.payer.start())?.paymentId).toMatch(/^pay_/);
    service.clock.advance(900);
    await payers.openAll(linkId, 1);
  });
});
