import { createPublicKey, verify, type webcrypto } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { startReceiver, type Received } from "../support/receiver.ts";
import { calledPagarme, NOW, type Body } from "./pagarme-called.ts";

const { pagarme, call, order } = await forFile(calledPagarme());
const receiver = await forFile(startReceiver());
// It holds what it closes with to our own webhooks' document.
afterAll(() => void receiver.received.splice(0));
beforeEach(() => {
  pagarme.clock.set(NOW);
  pagarme.faults.clear();
  pagarme.refundRules.outcome = "done";
  pagarme.account().hook = null;
});

const paid = async (installments = 1): Promise<string> =>
  (await order({ creditCard: { installments } })).body.charges[0].id;
const payables = async (chargeId: string, query = ""): Promise<Body[]> =>
  (await call("GET", `/payables?charge_id=${chargeId}&size=100${query}`)).body.data;

describe("a refund", () => {
  test("is a part and then the rest, and no more than that", async () => {
    const id = await paid();
    const part = await call("DELETE", `/charges/${id}`, { amount: 1 });
    expect(part.body).toMatchObject({
      status: "paid",
      canceled_amount: 1,
      last_transaction: { status: "partial_refunded" },
    });
    expect((await call("DELETE", `/charges/${id}`, { amount: 10_001 })).status).toBe(422);
    const rest = await call("DELETE", `/charges/${id}`);
    expect(rest.body).toMatchObject({
      status: "canceled",
      canceled_amount: 10_001,
      last_transaction: { status: "refunded" },
    });
    expect((await call("DELETE", `/charges/${id}`)).status).toBe(412);
  });

  test("is under way until it is done, or is refused", async () => {
    const id = await paid();
    pagarme.refundRules.outcome = "pending";
    expect((await call("DELETE", `/charges/${id}`)).body).toMatchObject({
      status: "paid",
      last_transaction: { status: "pending_refund", success: false },
    });
    expect((await call("DELETE", `/charges/${id}`)).status).toBe(412);
    pagarme.endRefund(id, false);
    pagarme.refundRules.outcome = "refused";
    expect((await call("DELETE", `/charges/${id}`)).body).toMatchObject({
      status: "paid",
      last_transaction: { status: "failed" },
    });
    pagarme.refundRules.outcome = "done";
    expect((await call("DELETE", `/charges/${id}`)).body.status).toBe("canceled");
  });
});

describe("payables", () => {
  test("are one an installment, 30 days apart on bank days, and add up", async () => {
    const id = await paid(3);
    const rows = await payables(id);
    expect(rows.map(({ amount }) => amount)).toEqual([3335, 3333, 3333]);
    expect(rows.map(({ installment, payment_date }) => [installment, payment_date.slice(0, 10)])).toEqual([
      [1, "2026-08-13"],
      [2, "2026-09-14"],
      [3, "2026-10-13"],
    ]);
    expect(rows.reduce((sum, { fee }) => sum + fee, 0)).toBe(399);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["waiting_funds"]));
    pagarme.clock.set(new Date("2026-09-14T12:00:00Z"));
    expect((await payables(id, "&status=paid")).map(({ installment }) => installment)).toEqual([1, 2]);
    expect(await payables(id, "&payment_date_since=2026-09-01&payment_date_until=2026-09-30")).toHaveLength(
      1,
    );
  });

  test("show a refund and the chargeback of one installment, and its return", async () => {
    const id = await paid(3);
    pagarme.chargeback(id, 2);
    expect((await call("GET", `/charges/${id}`)).body.status).toBe("chargedback");
    expect(await payables(id, "&type=chargeback")).toMatchObject([{ amount: -3333, installment: 2 }]);
    pagarme.reverseChargeback(id);
    expect(await payables(id, "&type=chargeback_refund")).toMatchObject([{ amount: 3333, installment: 2 }]);
    await call("DELETE", `/charges/${id}`);
    const sum = (await payables(id)).reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(0);
  });

  test("come in pages with a cursor", async () => {
    const id = await paid(18);
    const first = (await call("GET", `/payables?charge_id=${id}&size=17`)).body;
    const rest = (
      await call("GET", `/payables?charge_id=${id}&forward_cursor=${first.paging.forward_cursor}`)
    ).body;
    expect([first.data.length, rest.data.length, rest.paging.forward_cursor]).toEqual([17, 1, null]);
  });
});

describe("callbacks", () => {
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer((_, response) => void response.writeHead(200).end());
    pagarme.signing.mode = "right";
    pagarme.callbacks.mode = "prompt";
    pagarme.setHook(receiver.url, ["charge.paid", "order.paid", "charge.refunded"]);
  });

  /** What the provider's own plugins do with the header. */
  const isSigned = async ({ headers, text }: Received): Promise<boolean> => {
    const parts = String(headers["x-webhook-asymmetric-signature"] ?? "").split("; ");
    const given = Object.fromEntries(parts.map((part) => part.split(/=(.*)/s)));
    const { keys } = (await (await fetch(pagarme.jwksUrl)).json()) as {
      keys: (webcrypto.JsonWebKey & { kid: string })[];
    };
    const jwk = keys.find(({ kid }) => kid === given["kid"]);
    if (!jwk || given["alg"] !== "RS256") return false;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return verify("sha256", Buffer.from(text), key, Buffer.from(given["signature"] ?? "", "base64url"));
  };

  test("are signed over their bytes, and say what came", async () => {
    const id = await paid();
    await pagarme.callbacks.settled();
    expect(receiver.received.map(({ text }) => JSON.parse(text))).toMatchObject([
      { type: "charge.paid", data: { id, status: "paid" }, account: { name: "LOJA DE TESTE" } },
      { type: "order.paid", data: { status: "paid" } },
    ]);
    expect(await Promise.all(receiver.received.map(isSigned))).toEqual([true, true]);
    const [first] = receiver.received;
    expect(first && (await isSigned({ ...first, text: first.text.replace("10001", "10002") }))).toBe(false);
  });

  test.each(["none", "forged", "unknown"] as const)("can be signed wrong: %s", async (mode) => {
    pagarme.signing.mode = mode;
    await paid();
    await pagarme.callbacks.settled();
    expect(await Promise.all(receiver.received.map(isSigned))).toEqual([false, false]);
  });

  test("are signed with another key after a rotation", async () => {
    await paid();
    await pagarme.callbacks.settled();
    pagarme.signing.rotate();
    await paid();
    await pagarme.callbacks.settled();
    expect(await Promise.all(receiver.received.map(isSigned))).toEqual([true, true, true, true]);
    pagarme.signing.rotate({ isFormerShown: false });
    expect(await Promise.all(receiver.received.map(isSigned))).toEqual([false, false, false, false]);
  });

  test("are lost, turned round and repeated, and sent again when asked for", async () => {
    pagarme.callbacks.mode = "held";
    await paid();
    await pagarme.callbacks.deliver({ isReversed: true, times: 2 });
    const types = receiver.received.map(({ text }) => JSON.parse(text).type);
    expect(types).toEqual(["order.paid", "order.paid", "charge.paid", "charge.paid"]);
    pagarme.callbacks.mode = "lost";
    await paid();
    pagarme.callbacks.mode = "prompt";
    const [hook] = (await call("GET", "/hooks")).body.data;
    expect(hook).toMatchObject({ event: "order.paid", status: "pending" });
    await call("POST", `/hooks/${hook.id}/retry`);
    await pagarme.callbacks.settled();
    expect(receiver.received).toHaveLength(5);
    expect((await call("GET", `/hooks/${hook.id}`)).body.status).toBe("sent");
  });
});
