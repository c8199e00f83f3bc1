import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CALLS_MAX } from "../support/asaas/limits.ts";
import { forFile } from "../support/for-file.ts";
import type { Payer } from "../support/payer.ts";
import { secondService } from "../support/service.ts";
import { API_KEY, connectCards, pass, startCards } from "./card-merchant.ts";

const keys = Array.from({ length: 8 }, (_, index) => `${API_KEY}-${index}`);
const cards = await forFile(startCards(keys));
const { asaas, service } = cards;
let count = 0;

/** A merchant whose account no other test uses. */
async function connected() {
  const key = keys[count++] ?? "";
  const merchant = await connectCards(cards, key);
  const { quota } = asaas.account(key);
  return {
    ...merchant,
    /** How often its account was asked. */
    calls: () => asaas.requests.filter(({ headers }) => headers["access_token"] === key).length,
    /** The account has so large a part of its calls left. */
    leave: (share: number) => {
      quota.startedMs = asaas.clock.nowMs();
      quota.used = Math.round(CALLS_MAX * (1 - share));
    },
  };
}

/** Asks about a payer's payment, as "Check now" and the way back from the provider's page do. Returns the page's status. */
async function checkNow(payer: Payer): Promise<number> {
  const { linkId } = await payer.page();
  const url = `/pay/${linkId}/${payer.sessionId}/refresh`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return (await service.gateway.inject({ method: "POST", url, headers, payload: "" })).statusCode;
}

const pay = (reference: string): void => asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");

function wait(seconds: number): void {
  service.clock.advance(seconds);
  asaas.clock.advance(seconds);
}

describe("a payer who asks about a payment", () => {
  test("makes the provider be asked at once, and then once in ten seconds, by all processes together", async () => {
    const { start, calls, read } = await connected();
    const { payer, paymentId, reference } = await start();
    const other = await secondService(service, { allowLoopbackProviders: true });
    const elsewhere = createClient(CheckoutService, other.core.transport);
    const ids = { linkId: (await payer.page()).linkId, sessionId: payer.sessionId };
    const many = async () =>
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          expect(await checkNow(payer)).toBe(303);
          await elsewhere.refreshPayment(ids, { headers: { ...service.internal.headers } });
        }),
      );
    const before = calls();
    await many();
    expect(calls()).toBe(before + 1);
    wait(9);
    await many();
    expect(calls()).toBe(before + 1);
    wait(1);
    pay(reference);
    await many();
    expect(calls()).toBe(before + 2);
    expect((await read(paymentId))["status"]).toBe("succeeded");
    await other.close();
  });

  test.each([
    ["is paid", "succeeded", async (reference: string) => await Promise.resolve(pay(reference)), 31],
    ["has failed", "failed", async () => await Promise.resolve(), 961],
  ])("of which it is known that it %s makes no call", async (_what, status, happen, seconds) => {
    const { start, calls, read } = await connected();
    const { payer, paymentId, reference } = await start();
    await happen(reference);
    await pass(cards, seconds);
    expect((await read(paymentId))["status"]).toBe(status);
    const before = calls();
    for (let asked = 0; asked < 3; asked++) {
      wait(10);
      expect(await checkNow(payer)).toBe(303);
    }
    expect(calls()).toBe(before);
  });

  test("under review after the session's end makes no call, and the worker's check finds the outcome", async () => {
    const { start, calls, read } = await connected();
    const { payer, paymentId, reference } = await start();
    const id = asaas.paymentsOf(reference)[0]?.id ?? "";
    asaas.pay(id, { status: "AWAITING_RISK_ANALYSIS" });
    expect(await checkNow(payer)).toBe(303);
    wait(961);
    asaas.endReview(id, "approved");
    const before = calls();
    expect(await checkNow(payer)).toBe(303);
    expect(calls()).toBe(before);
    await pass(cards, 31);
    expect((await read(paymentId))["status"]).toBe("succeeded");
  });
});

test("a payer who asks again and again leaves two fifths of an account's calls for starts, checks and returns", async () => {
  const { start, calls, read, leave } = await connected();
  const { payer } = await start();
  expect(await checkNow(payer)).toBe(303);
  leave(0.4004);
  const before = calls();
  for (let asked = 0; asked < 30; asked++) {
    wait(10);
    expect(await checkNow(payer)).toBe(303);
  }
  expect(calls() - before).toBe(CALLS_MAX * 0.0004);
  const [back, checked] = [await start(), await start()];
  expect(back.challengeUrl).toBeDefined();
  for (const { reference } of [back, checked]) pay(reference);
  expect(await checkNow(back.payer)).toBe(303);
  expect((await read(back.paymentId))["status"]).toBe("succeeded");
  await pass(cards, 31);
  expect((await read(checked.paymentId))["status"]).toBe("succeeded");
});
