import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { startReceiver } from "../support/receiver.ts";
import { calledAsaas, NOW, refused, type Body } from "./asaas-called.ts";

const { asaas, call, charge } = await forFile(calledAsaas());
const receiver = await forFile(startReceiver());
// It holds what it closes with to our own webhooks' document.
afterAll(() => void receiver.received.splice(0));
beforeEach(() => {
  asaas.clock.set(NOW);
  asaas.faults.clear();
});

const statuses = (id: string): string[] => asaas.plan(id).payments.map(({ status }) => status);
const plan = async (count = 3): Promise<string> =>
  (await charge({ installmentCount: count, totalValue: count * 100 })).body.installment;

describe("a fault", () => {
  test("loses an answer after it stored the payment", async () => {
    asaas.fail("createPayment", { kind: "lost" });
    await expect(charge({ value: 10, externalReference: "lost-1" })).rejects.toThrow("fetch failed");
    const found = (await call("GET", "/payments?externalReference=lost-1")).body;
    expect(found).toMatchObject({ totalCount: 1, data: [{ value: 10 }] });
    expect(asaas.requests.at(-2)).toMatchObject({ call: "createPayment", fault: "lost", status: null });
  });

  test("makes two payments of one call", async () => {
    asaas.fail("createPayment", { kind: "twice" });
    const { body } = await charge({ value: 10, externalReference: "twice-1" });
    const { data } = (await call("GET", "/payments?externalReference=twice-1")).body;
    expect(data.map(({ id }: Body) => id)).toEqual([body.id, expect.not.stringContaining(body.id)]);
  });

  test("answers that the caller is too busy, and when it may come again", async () => {
    asaas.fail("createPayment", { kind: "busy", retryAfter: "7" });
    const answer = await charge({ value: 10 });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await charge({ value: 10 })).status).toBe(200);
  });

  test("answers 5xx, HTML or nothing", async () => {
    asaas.fail("readPayment", { kind: "status", status: 503 });
    asaas.fail("readPayment", { kind: "html", status: 200 });
    asaas.fail("readPayment", { kind: "hang" });
    const { id } = (await charge({ value: 10 })).body;
    expect((await call("GET", `/payments/${id}`)).status).toBe(503);
    expect((await call("GET", `/payments/${id}`)).text).toMatch(/^<html>/);
    const hung = fetch(`${asaas.baseUrl}/payments/${id}`, { signal: AbortSignal.timeout(200) });
    await expect(hung).rejects.toThrow("timeout");
  });

  test("pays a payment before or after its removal", async () => {
    const [one, other] = [(await charge({ value: 10 })).body.id, (await charge({ value: 10 })).body.id];
    asaas.fail("deletePayment", { kind: "before", act: () => asaas.pay(one) });
    asaas.fail("deletePayment", { kind: "after", act: () => asaas.pay(other) });
    expect(await call("DELETE", `/payments/${one}`)).toMatchObject(refused("invalid_action"));
    expect((await call("DELETE", `/payments/${other}`)).body).toEqual({ deleted: true, id: other });
    expect((await call("GET", `/payments/${other}`)).body).toMatchObject({
      deleted: true,
      status: "CONFIRMED",
    });
  });

  test("hides a payment for a while", async () => {
    const { id } = (await charge({ value: 10, externalReference: "hidden-1" })).body;
    asaas.hide(id, 60);
    expect((await call("GET", "/payments?externalReference=hidden-1")).body.totalCount).toBe(0);
    asaas.clock.advance(60);
    expect((await call("GET", "/payments?externalReference=hidden-1")).body.totalCount).toBe(1);
  });
});

describe("a plan", () => {
  test("is confirmed in parts, and then whole", async () => {
    const id = await plan();
    asaas.pay(id, { confirmed: 2 });
    expect(statuses(id)).toEqual(["CONFIRMED", "CONFIRMED", "PENDING"]);
    asaas.confirmRest(id);
    expect(statuses(id)).toEqual(["CONFIRMED", "CONFIRMED", "CONFIRMED"]);
  });

  test("is reviewed, and then paid or not", async () => {
    const [good, bad] = [await plan(), await plan()];
    for (const id of [good, bad]) asaas.pay(id, { status: "AWAITING_RISK_ANALYSIS" });
    expect(await call("DELETE", `/installments/${good}`)).toMatchObject(refused("invalid_action"));
    asaas.endReview(good, "approved");
    asaas.endReview(bad, "reproved");
    expect([statuses(good)[0], statuses(bad)[0]]).toEqual(["CONFIRMED", "PENDING"]);
  });

  test("is removed, but not what is paid of it", async () => {
    const id = await plan();
    asaas.pay(id, { confirmed: 1 });
    expect((await call("DELETE", `/installments/${id}`)).body).toEqual({ deleted: true, id });
    expect((await call("GET", `/installments/${id}/payments`)).body.totalCount).toBe(1);
    expect((await call("GET", `/payments?installment=${id}`)).body.totalCount).toBe(1);
    expect((await call("GET", `/installments/${id}`)).body.deleted).toBe(true);
    expect(await call("DELETE", `/installments/${id}`)).toMatchObject(refused("invalid_action"));
  });

  test("loses one installment to a chargeback, and wins it back", async () => {
    const id = await plan();
    asaas.pay(id);
    const second = asaas.plan(id).payments[1]?.id ?? "";
    asaas.chargeback(second);
    expect((await call("GET", "/chargebacks?status=REQUESTED")).body).toMatchObject({
      totalCount: 1,
      data: [
        { payment: second, installment: id, value: 100, reason: "FRAUD", disputeStartDate: "2026-07-14" },
      ],
    });
    expect(statuses(id)).toEqual(["CONFIRMED", "CHARGEBACK_REQUESTED", "CONFIRMED"]);
    for (const move of ["disputed", "won", "reversed"] as const) asaas.moveChargeback(second, move);
    expect(statuses(id)[1]).toBe("CONFIRMED");
  });

  test("is refunded in part from its end, then whole, and no more than that", async () => {
    const id = await plan();
    asaas.pay(id);
    const { body } = await call("POST", `/installments/${id}/refund`, { value: 150 });
    expect(body.refunds.map(({ value }: Body) => value)).toEqual([50, 100]);
    expect(statuses(id)).toEqual(["CONFIRMED", "CONFIRMED", "REFUNDED"]);
    expect(await call("POST", `/installments/${id}/refund`, { value: 150.01 })).toMatchObject(
      refused("invalid_value"),
    );
    await call("POST", `/installments/${id}/refund`);
    expect(statuses(id)).toEqual(["REFUNDED", "REFUNDED", "REFUNDED"]);
  });
});

describe("a refund", () => {
  test("is under way until it is done or denied, and can be asked for within 365 days", async () => {
    asaas.refundRules.outcome = "PENDING";
    const { id } = (await charge({ value: 100 })).body;
    asaas.pay(id);
    expect((await call("POST", `/payments/${id}/refund`)).body.status).toBe("REFUND_IN_PROGRESS");
    asaas.endRefunds(id, "CANCELLED");
    expect((await call("GET", `/payments/${id}/refunds`)).body.data).toMatchObject([
      { status: "CANCELLED", value: 100 },
    ]);
    asaas.refundRules.outcome = "DONE";
    asaas.clock.set(new Date("2027-07-15T12:00:00Z"));
    expect(await call("POST", `/payments/${id}/refund`)).toMatchObject(refused("invalid_action"));
    asaas.clock.set(new Date("2027-07-14T12:00:00Z"));
    expect((await call("POST", `/payments/${id}/refund`)).body.status).toBe("REFUNDED");
    const { data } = (await call("GET", "/financialTransactions?startDate=2026-07-14&order=desc")).body;
    expect(data[0]).toMatchObject({ type: "PAYMENT_REVERSAL", value: -100, paymentId: id });
    expect((await call("GET", "/finance/balance")).body.balance).toBe(data[0].balance);
  });
});

describe("callbacks", () => {
  const TOKEN = "t".repeat(32);
  const EVENTS = ["PAYMENT_CREATED", "PAYMENT_CONFIRMED"];
  const told = (): Body[] => receiver.received.map(({ text }) => JSON.parse(text));
  const events = (): string[] => told().map(({ event }) => event);
  const register = async (fields: object = {}): Promise<Body> =>
    (
      await call("POST", "/webhooks", {
        name: "x",
        url: receiver.url,
        email: "a@example.com",
        enabled: true,
        interrupted: false,
        sendType: "SEQUENTIALLY",
        events: EVENTS,
        ...fields,
      })
    ).body;
  beforeEach(async () => {
    asaas.account().webhooks.clear();
    asaas.callbacks.mode = "prompt";
    receiver.received.length = 0;
    receiver.answer((_, response) => void response.writeHead(200).end());
  });

  test("have the token and the state of their moment, and come in order", async () => {
    const registered = await register({ authToken: TOKEN });
    expect(registered).toMatchObject({ hasAuthToken: true, interrupted: false });
    expect(JSON.stringify(registered)).not.toContain(TOKEN);
    const { id } = (await charge({ value: 10 })).body;
    asaas.pay(id);
    await asaas.callbacks.settled();
    expect(receiver.received.map(({ headers }) => headers["asaas-access-token"])).toEqual([TOKEN, TOKEN]);
    expect(told()).toMatchObject([
      { event: "PAYMENT_CREATED", dateCreated: "2026-07-14 09:00:00", payment: { id, status: "PENDING" } },
      { event: "PAYMENT_CONFIRMED", payment: { id, status: "CONFIRMED" } },
    ]);
    expect(told()[0].id).toMatch(/^evt_/);
  });

  test("are held, turned round and repeated, or lost", async () => {
    await register();
    asaas.callbacks.mode = "held";
    asaas.pay((await charge({ value: 10 })).body.id);
    await asaas.callbacks.deliver({ isReversed: true, times: 2 });
    expect(events()).toEqual(EVENTS.toReversed().flatMap((event) => [event, event]));
    asaas.callbacks.mode = "lost";
    await charge({ value: 10 });
    expect([asaas.callbacks.lostCount, receiver.received.length]).toEqual([1, 4]);
  });

  test.each([201, 204, 500])(
    "are not taken with %i, and stop after fifteen failures until switched on",
    async (status) => {
      const { id } = await register();
      receiver.answer((_, response) => void response.writeHead(status).end());
      await charge({ value: 10 });
      await charge({ value: 10 });
      await asaas.callbacks.settled();
      for (let count = 1; count < 15; count++) await asaas.callbacks.retry();
      expect(receiver.received).toHaveLength(15);
      expect((await call("GET", "/webhooks")).body.data).toMatchObject([{ id, interrupted: true }]);
      await asaas.callbacks.retry();
      expect(receiver.received).toHaveLength(15);
      receiver.answer((_, response) => void response.writeHead(200).end());
      expect((await call("POST", `/webhooks/${id}/removeBackoff`)).status).toBe(204);
      await asaas.callbacks.settled();
      expect(events().slice(15)).toEqual(["PAYMENT_CREATED", "PAYMENT_CREATED"]);
      expect((await call("GET", `/webhooks/${id}`)).body.interrupted).toBe(false);
    },
  );
});

test("calls are counted, and refused when none is left", async () => {
  const { headers } = await call("GET", "/finance/balance");
  const left = Number(headers.get("ratelimit-remaining"));
  expect(Number(headers.get("ratelimit-limit")) - left).toBe(asaas.account().quota.used);
  asaas.callsMax = asaas.account().quota.used;
  expect((await call("GET", "/finance/balance")).status).toBe(429);
  asaas.clock.advance(12 * 3600);
  expect((await call("GET", "/finance/balance")).status).toBe(200);
  asaas.callsMax = 25_000;
});
