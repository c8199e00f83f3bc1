import { describe, expect, test } from "vitest";
import { PayerField } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { API_KEY, CALLBACK_TOKEN, configAt, pass, PERSON, startCards } from "../live-cards/card-merchant.ts";
import { balanceMinor } from "../support/asaas/finance.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { outcomeOf, PAID_ONCE } from "./outcome.ts";

const cards = await forFile(startCards());
const { asaas, service, providers } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service, {}, "live");
const { account, callbackUrl } = await providers.putProviderAccount(
  { kind: ProviderKind.PIX, profile: "asaas", asaas: configAt(cards) },
  merchant.as,
);
const accountId = account?.id ?? "";
const { pathname } = new URL(callbackUrl);

const outcome = async (id: string) => await outcomeOf(rows, merchant, id);
const chargesOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
const idOf = (reference: string): string => chargesOf(reference)[0]?.id ?? "";

async function opened(): Promise<Payer> {
  const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
  await payer.open();
  return payer;
}

async function started() {
  const payer = await opened();
  const { paymentId } = await payer.start({ payer: PERSON });
  return { payer, paymentId, reference: paymentId.replace("_", "") };
}

async function sweep(seconds: number): Promise<void> {
  service.clock.advance(seconds);
  asaas.clock.advance(seconds);
  await service.core.tasks.sweepProviders();
}

async function callBack(reference: string, token = CALLBACK_TOKEN, id?: string): Promise<number> {
  const payload = JSON.stringify({ id: crypto.randomUUID(), payment: { id, externalReference: reference } });
  const headers = { "asaas-access-token": token };
  const { statusCode } = await service.gateway.inject({ method: "POST", url: pathname, headers, payload });
  await service.core.tasks.answerCallbacks();
  return statusCode;
}

describe("PIX at Asaas, without a certificate", () => {
  test("is verified by its key, and calls back with its token", async () => {
    const verified = await providers.verifyProviderAccount(
      { id: accountId, isRegistered: true },
      merchant.as,
    );
    expect(verified).toMatchObject({ isAccepted: true, isCallbackRegistered: true });
    expect(verified.account).toMatchObject({
      kind: ProviderKind.PIX,
      profile: "asaas",
      certificateSubject: "",
    });
    expect([...asaas.account(API_KEY).webhooks.values()].map(({ authToken }) => authToken)).toEqual([
      CALLBACK_TOKEN,
    ]);
  });

  test("asks the payer who they are, on the page too, and makes nothing without it", async () => {
    const payer = await opened();
    const page = await payer.page();
    expect(page.pixPayerFields).toEqual([PayerField.NAME, PayerField.DOCUMENT]);
    const { body } = await service.gateway.inject({
      url: `/pay/${page.linkId}/${payer.sessionId}?way=pix-1`,
    });
    expect(body).toContain('name="document"');
    const before = asaas.requests.length;
    expect(await refusalOf(payer.start({}))).toMatchObject({ code: "invalid_request", param: "name" });
    expect(asaas.requests).toHaveLength(before);
  });

  test("is refused for less than Asaas takes, when the link is made", async () => {
    const least = new Payer(service, await merchant.newLink({ payment_methods: ["pix"], amount: 500 }));
    expect((await least.open()).options).toHaveLength(1);
    const less = { amount: 499, currency: "BRL", payment_methods: ["pix"] };
    const { status, body } = await merchant.api.post("/v1/payment_links", less);
    expect([status, body.error]).toMatchObject([400, { code: "invalid_request", param: "amount" }]);
  });

  test("is paid by a code of the price that the payer saw, once", async () => {
    const { payer, paymentId, reference } = await started();
    const code = (await payer.session()).payment?.pixCode;
    expect(code).toMatch(/^000201.*br\.gov\.bcb\.pix/);
    expect(chargesOf(reference)).toMatchObject([{ billingType: "PIX", valueMinor: 15_990n }]);
    asaas.pay(idOf(reference));
    expect(await callBack(reference, `${CALLBACK_TOKEN}x`)).toBe(403);
    expect((await outcome(paymentId)).status).toBe("pending");
    for (let count = 0; count < 2; count++) expect(await callBack(reference)).toBe(200);
    await pass(cards, 31);
    expect(await outcome(paymentId)).toEqual(PAID_ONCE);
    // The code leaves the amount to the charge.
    await service.core.tasks.check();
    const live = (await service.core.checks.standings()).find(({ mode }) => mode === "live");
    expect(live).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 0 });
  });

  test.each([
    ["is damaged", "00020126"],
    ["leads nowhere", ""],
  ])("shows no code that %s, and asks for it anew", async (_name, payload) => {
    asaas.fail("readPixCode", { kind: "text", status: 200, text: JSON.stringify({ payload }) });
    const { payer, reference } = await started();
    service.faults.length = 0;
    expect((await payer.session()).payment?.pixCode).toBeUndefined();
    await pass(cards, 3);
    expect((await payer.session()).payment?.pixCode).toBeDefined();
    expect(chargesOf(reference)).toHaveLength(1);
  });

  test.each([{ kind: "lost" }, { kind: "cut" }, { kind: "twice" }] as const)(
    "case 1: leaves the charge whose code the payer sees when its creation is %o",
    async (fault) => {
      asaas.fail("createPayment", fault);
      const { paymentId, reference } = await started();
      service.faults.length = 0;
      await pass(cards, 31);
      expect(chargesOf(reference)).toHaveLength(1);
      const { path } = asaas.requests.findLast(({ call }) => call === "readPixCode") ?? {};
      expect(path).toContain(idOf(reference));
      asaas.pay(idOf(reference));
      await pass(cards, 31);
      expect(await outcome(paymentId)).toEqual(PAID_ONCE);
    },
  );

  test.each([true, false])(
    "that is paid after its removal is late money, its id kept: %s",
    async (isKept) => {
      const { paymentId, reference } = await started();
      const forgotten = "UPDATE live.charge SET provider_charge_id = NULL WHERE payment_id = $1";
      // An earlier release did not keep it.
      if (!isKept) await rows.run(forgotten, [paymentId]);
      await pass(cards, 961);
      expect(chargesOf(reference)).toEqual([]);
      const id = asaas.paymentsOf(reference)[0]?.id ?? "";
      asaas.pay(id);
      expect(await callBack(reference, CALLBACK_TOKEN, isKept ? undefined : id)).toBe(200);
      expect(await outcome(paymentId)).toMatchObject({ status: "expired", exceptions: ["late 15990 15990"] });
    },
  );

  test("is removed at its session's end, and money of the same moment is late", async () => {
    const [open, paid] = [await started(), await started()];
    const act = (): void => asaas.pay(idOf(paid.reference));
    asaas.fail("deletePayment", { kind: "before", act }, 2);
    await pass(cards, 961);
    // The look at the paid one may come after its money: it is then not removed.
    asaas.faults.clear();
    service.faults.length = 0;
    expect((await outcome(open.paymentId)).status).toBe("expired");
    expect(chargesOf(open.reference)).toEqual([]);
    await pass(cards, 3600);
    expect(await outcome(paid.paymentId)).toMatchObject({
      status: "expired",
      exceptions: ["late 15990 15990"],
    });
  });

  test.each([
    ["once", "deletePayment", 1, 0],
    // So many at once that some are ended while their account is not asked.
    ["until its watch is over", "listPayments", 8, 57],
  ] as const)("whose removal fails %s is removed by a later look", async (_times, call, count, hours) => {
    const all = await Promise.all(Array.from({ length: count }, started));
    const left = () => all.flatMap(({ reference }) => chargesOf(reference)).length;
    asaas.fail(call, { kind: "cut" }, hours === 0 ? 1 : 1000);
    await pass(cards, 961).catch(() => undefined);
    for (let hour = 0; hour < hours; hour++) await pass(cards, 3600).catch(() => undefined);
    for (const { paymentId } of all) expect((await outcome(paymentId)).status).toBe("expired");
    expect(left()).toBe(count);
    asaas.faults.clear();
    service.faults.length = 0;
    for (let round = 0; round < 2; round++) await pass(cards, 7 * 3600);
    expect(left()).toBe(0);
    await pass(cards, 50 * 3600);
    const ids = all.map(({ paymentId }) => paymentId);
    expect(await rows.count("live.charge WHERE payment_id = ANY ($1) AND is_open", [ids])).toBe(0);
  });

  test("case 4: is found by the statement when callbacks and checks are lost", async () => {
    const { paymentId, reference } = await started();
    await rows.run(
      "UPDATE live.charge SET is_open = false, expires_at = expires_at + interval '1 day' WHERE payment_id = $1",
      [paymentId],
    );
    asaas.pay(idOf(reference));
    await sweep(3700);
    expect(await outcome(paymentId)).toEqual(PAID_ONCE);
  });

  test("case 10: goes back in part and then whole, each once though an answer is lost", async () => {
    const { paymentId, reference } = await started();
    asaas.pay(idOf(reference));
    await pass(cards, 31);
    // Asaas keeps its fee: the merchant's balance pays for the refund.
    asaas.payOut(-100_000n);
    asaas.fail("refundPayment", { kind: "lost" });
    for (const body of [{ amount: 5000 }, {}]) {
      expect((await merchant.api.post(`/v1/payments/${paymentId}/refunds`, body)).status).toBe(201);
      for (let count = 0; count < 2; count++) {
        service.clock.advance(20);
        await service.core.tasks.checkRefunds();
      }
      service.faults.length = 0;
    }
    expect(chargesOf(reference)[0]?.refunds.map(({ valueMinor }) => valueMinor)).toEqual([5000n, 10_990n]);
    expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.refunded_amount).toBe(15_990);
  });

  test("input 4: whose refund Asaas refuses for lack of balance fails, and its reason names the balance", async () => {
    const { paymentId, reference } = await started();
    asaas.pay(idOf(reference));
    await pass(cards, 31);
    asaas.payOut(balanceMinor(asaas.account()));
    const { status, body } = await merchant.api.post(`/v1/payments/${paymentId}/refunds`, {});
    expect(status).toBe(201);
    for (let count = 0; count < 6; count++) {
      service.clock.advance(600);
      await service.core.tasks.checkRefunds();
    }
    const { body: read } = await merchant.api.get(`/v1/payments/${paymentId}/refunds`);
    const failed = { id: body.id, status: "failed", failure_code: "insufficient_balance" };
    expect(read.data).toMatchObject([failed]);
    expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.refunded_amount).toBeUndefined();
  });

  test("case 11: that Asaas gave back by itself is found by the statement", async () => {
    const { paymentId, reference } = await started();
    asaas.pay(idOf(reference));
    await pass(cards, 31);
    const headers = { access_token: API_KEY, "user-agent": "test", "content-type": "application/json" };
    const url = `${asaas.baseUrl}/payments/${idOf(reference)}/refund`;
    expect((await fetch(url, { method: "POST", headers, body: '{"value":10}' })).status).toBe(200);
    await sweep(100_000);
    expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.refunded_amount).toBe(1000);
    expect((await outcome(paymentId)).events).toContain("payment.returned");
  });

  test("gives a refund back once that Asaas carries out after our wait", async () => {
    const { paymentId, reference } = await started();
    asaas.pay(idOf(reference));
    await pass(cards, 31);
    let carryOut = (): void => undefined;
    asaas.fail("refundPayment", { kind: "late", hold: (late) => (carryOut = late) });
    await merchant.api.post(`/v1/payments/${paymentId}/refunds`, { amount: 1000 });
    service.faults.splice(0);
    for (const act of [() => undefined, carryOut, () => undefined]) {
      act();
      service.clock.advance(120);
      await service.core.tasks.checkRefunds();
    }
    expect(chargesOf(reference)[0]?.refunds.map(({ valueMinor }) => valueMinor)).toEqual([1000n]);
    expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.refunded_amount).toBe(1000);
  });
});
