import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { TimeForm } from "../../tools/bank/messages.ts";
import { newId } from "../../contract/ids.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { forFile } from "../support/for-file.ts";
import { advance } from "../provider-accounts/live-merchant.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const DAY_SECONDS = 86_400;

const scene = await forFile(Scene.start());
const { live, rows } = scene;
const { bank } = live;
const merchant = await scene.merchant();
const linkOf = async (paymentId: string): Promise<unknown> => {
  const sql = `SELECT l.status FROM live.payment_link l JOIN live.payment p ON p.tenant_id = l.tenant_id
    AND p.link_id = l.id WHERE p.id = $1`;
  return (await rows.read(sql, [paymentId]))[0]?.["status"];
};

describe("case 6: money in another amount", () => {
  test.each([15_989n, 15_991n])(
    "case 6: of %s centavos instead of 15990 is an exception with a refund, and the link is not paid",
    async (amountMinor) => {
      const { paymentId, reference } = await merchant.start();
      bank.pay(reference, amountMinor);
      await scene.pass(60);
      expect(await scene.outcome(merchant, paymentId)).toEqual({
        status: "pending",
        money: 1,
        entries: [],
        events: ["payment.exception_recorded"],
        exceptions: [`wrong_amount ${amountMinor} ${amountMinor}`],
      });
      expect(await linkOf(paymentId)).toBe("active");
      bank.pay(reference, 15_990n);
      await scene.pass(60);
      expect((await scene.outcome(merchant, paymentId)).status).toBe("succeeded");
    },
  );

  test("case 6: paid double at once is one success and one duplicate", async () => {
    const { paymentId, reference } = await merchant.start();
    bank.pay(reference, 15_990n);
    bank.pay(reference, 15_990n);
    await scene.pass(60);
    await scene.pass(60);
    expect(await scene.outcome(merchant, paymentId)).toEqual({
      ...PAID_ONCE,
      money: 2,
      events: ["payment.succeeded", "payment.exception_recorded"],
      exceptions: ["duplicate 15990 15990"],
    });
    expect(await linkOf(paymentId)).toBe("completed");
  });
});

describe("case 7: money counts by the time at which it was paid", () => {
  test.each<[TimeForm, number]>([
    ["zulu", 60],
    ["offset", -1],
    ["seconds", -1],
  ])(
    "case 7: in the form %s, paid %i s after the end and told a day later, it is a success",
    async (form, seconds) => {
      const { paymentId, reference } = await merchant.start();
      await scene.pass(900 + 61);
      expect(await scene.outcome(merchant, paymentId)).toMatchObject({ status: "expired", money: 0 });
      await scene.pass(DAY_SECONDS);
      bank.timeForm = form;
      await scene.payAtEnd(reference, seconds);
      const before = (await merchant.api.get(`/v1/payments/${paymentId}`)).body.updated_at;
      await scene.pass(DAY_SECONDS / 2);
      bank.timeForm = "zulu";
      const { events, ...outcome } = await scene.outcome(merchant, paymentId);
      expect({ ...outcome, events: events.filter((type) => type.endsWith("succeeded")) }).toEqual(PAID_ONCE);
      expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.updated_at).toBeGreaterThan(before);
      expect(await linkOf(paymentId)).toBe("completed");
    },
  );

  test.each([900, 7200])(
    "case 7: a clock of ours that is %i s behind the bank's makes no payment late",
    async (seconds) => {
      const { paymentId, reference } = await merchant.start();
      await scene.pass(200);
      bank.pay(reference, 15_990n, new Date(bank.clock.nowMs() + seconds * 1000));
      await scene.pass(120);
      expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
      const [row] = await rows.read("SELECT paid_at FROM live.charge WHERE reference = $1", [reference]);
      expect(Number(row?.["paid_at"])).toBeLessThanOrEqual(live.service.clock.nowMs());
    },
  );

  test("case 7: paid 61 s after the end, it is late", async () => {
    const { paymentId, reference } = await merchant.start();
    await scene.payAtEnd(reference, 61);
    await scene.pass(DAY_SECONDS);
    expect(await scene.outcome(merchant, paymentId)).toMatchObject({
      status: "expired",
      entries: [],
      exceptions: ["late 15990 15990"],
    });
  });

  test("case 7: in time for a link that another payer has paid meanwhile, it is a duplicate", async () => {
    const first = await merchant.start();
    await scene.pass(900 + 61);
    await first.payer.open();
    const second = (await first.payer.start()).paymentId;
    bank.pay(second.replace("_", ""), 15_990n);
    await scene.pass(60);
    await scene.payAtEnd(first.reference, -1);
    await scene.pass(DAY_SECONDS);
    expect(await scene.outcome(merchant, second)).toMatchObject({ status: "succeeded", exceptions: [] });
    expect(await scene.outcome(merchant, first.paymentId)).toMatchObject({
      status: "expired",
      exceptions: ["duplicate 15990 15990"],
    });
  });
});

describe("money of a link that was canceled", () => {
  const linkIdOf = async (paymentId: string): Promise<string> => {
    const sql = "SELECT link_id AS id FROM live.payment WHERE id = $1";
    return String((await rows.read(sql, [paymentId]))[0]?.["id"]);
  };
  const cancel = async (paymentId: string): Promise<void> => {
    await merchant.links.cancelPaymentLink({ id: await linkIdOf(paymentId) }, merchant.as);
  };

  test("is a success if the bank had it before, though it is told after", async () => {
    const { paymentId, reference } = await merchant.start();
    bank.pay(reference, 15_990n);
    advance(live, 10);
    await cancel(paymentId);
    await scene.pass(60);
    const { events, ...outcome } = await scene.outcome(merchant, paymentId);
    expect({ ...outcome, events: events.filter((type) => type.endsWith("succeeded")) }).toEqual(PAID_ONCE);
    expect(await linkOf(paymentId)).toBe("completed");
  });

  test("is late if the bank had it after, also when the link was changed since", async () => {
    const { paymentId, reference } = await merchant.start();
    await cancel(paymentId);
    advance(live, 10);
    bank.pay(reference, 15_990n);
    advance(live, 10);
    await merchant.links.updatePaymentLink({ id: await linkIdOf(paymentId), details: "Red" }, merchant.as);
    await scene.pass(60);
    expect((await scene.outcome(merchant, paymentId)).exceptions).toEqual(["late 15990 15990"]);
    expect(await linkOf(paymentId)).toBe("canceled");
  });
});

const refunds = createClient(RefundsService, live.service.core.transport);

describe("a time of payment before its charge", () => {
  const paidAtOf = async (paymentId: string) => {
    const [row] = await rows.read("SELECT paid_at, created_at FROM live.charge WHERE payment_id = $1", [
      paymentId,
    ]);
    return row as { paid_at: Date; created_at: Date };
  };

  test("is taken as the charge's, and its money can be refunded", async () => {
    const { paymentId, reference } = await merchant.start();
    bank.pay(reference, 15_990n, new Date("2000-01-02T12:00:00Z"));
    await scene.pass(60);
    expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
    const { paid_at, created_at } = await paidAtOf(paymentId);
    expect(paid_at).toEqual(created_at);
    const headers = { ...merchant.as.headers, "idempotency-key": newId("ref") };
    const { refund } = await refunds.createRefund({ id: paymentId }, { headers });
    expect(refund?.paymentId).toBe(paymentId);
  });

  test("is kept within five minutes, as clocks differ", async () => {
    const { paymentId, reference } = await merchant.start();
    const at = new Date(live.service.clock.nowMs() - 240_000);
    bank.pay(reference, 15_990n, at);
    await scene.pass(60);
    expect((await paidAtOf(paymentId)).paid_at).toEqual(at);
  });
});

describe("case 8: two amounts of money for one charge", () => {
  test("case 8: a day apart, the second is a duplicate; refunding it leaves the first", async () => {
    const { paymentId, reference } = await merchant.start();
    const first = bank.pay(reference, 15_990n);
    await scene.pass(60);
    await scene.pass(DAY_SECONDS);
    const second = bank.pay(reference, 15_990n);
    await scene.pass(3700);
    const outcome = await scene.outcome(merchant, paymentId);
    expect(outcome).toMatchObject({ status: "succeeded", money: 2, exceptions: ["duplicate 15990 15990"] });
    const [{ id = "" } = {}] = await rows.read(
      "SELECT id FROM live.payment_exception WHERE payment_id = $1",
      [paymentId],
    );
    const headers = { ...merchant.as.headers, "idempotency-key": newId("req") };
    await refunds.refundException({ id: String(id) }, { headers });
    await scene.pass(15);
    expect([first, second].map(({ returns }) => returns.map(({ status }) => status))).toEqual([
      [],
      ["DEVOLVIDO"],
    ]);
    expect(await scene.outcome(merchant, paymentId)).toEqual(outcome);
    const { body } = await merchant.api.get(`/v1/payments/${paymentId}`);
    expect(body).not.toHaveProperty("refunded_amount");
    expect((await merchant.api.post(`/v1/payments/${paymentId}/refunds`, {})).body.amount).toBe(15_990);
  });
});

describe("case 9: money that belongs to no charge", () => {
  test("case 9: with the txid of another tenant's charge is credited to neither tenant", async () => {
    const [one, other] = [await scene.merchant(), await scene.merchant()];
    const { paymentId, reference } = await other.start();
    const astray = bank.payKey(15_990n, { clientId: one.clientId, txid: reference });
    await scene.pass(3700);
    const { money } = await live.providers.listUnknownMoney({}, one.as);
    expect(money).toMatchObject([{ endToEndId: astray.endToEndId, txid: reference, amount: 15_990n }]);
    expect((await live.providers.listUnknownMoney({}, other.as)).money).toEqual([]);
    expect(await scene.outcome(other, paymentId)).toMatchObject({ money: 0, exceptions: [] });
  });
});

test("the books of all of these are in order", async () => {
  expect(await scene.problems()).toEqual([]);
});
