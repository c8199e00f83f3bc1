import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { dayAt } from "../../contract/day.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { RefundScene } from "./scene.ts";

const DAY_SECONDS = 86_400;

const service = await forFile(startService());
service.clock.set(new Date());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refunds = createClient(RefundsService, service.core.transport);
const checkout = createClient(CheckoutService, service.core.transport);
const today = (): string => dayAt(service.clock.nowMs()).toString();

async function sumsOf({ as }: Merchant, from: string, to: string) {
  const { sums } = await refunds.summarizeRefunds({ from, to }, as);
  return sums.map(({ day, isReturn, isOfExceptions, refundCount, amount, currency }) => ({
    day,
    what: `${isReturn ? "return" : "refund"} of ${isOfExceptions ? "exceptions" : "payments"}`,
    refundCount,
    amount,
    currency,
  }));
}

const giveBack = async ({ as }: Merchant, id: string, amount: bigint) =>
  await refunds.refundException(
    { id, amount },
    { headers: { ...as.headers, "idempotency-key": newId("req") } },
  );

test("what went back is summed on the day on which it left, whatever the day of its payment", async () => {
  const merchant = await createMerchant(service);
  const scene = new RefundScene(service, merchant, rows);
  const paidOn = today();
  const [first, second] = [await scene.paidByPix(), await scene.paidByPix({ campaign: true })];
  const { id: exceptionId } = await scene.lateMoney();
  service.clock.advance(DAY_SECONDS);
  const leftOn = today();
  await scene.refund(first, { amount: 5000 });
  await scene.refund(second, { amount: 990 });
  await scene.returnedByProvider(second, 10_000n);
  await scene.refresh(second);
  await giveBack(merchant, exceptionId, 700n);
  service.clock.advance(DAY_SECONDS);
  const third = today();
  await scene.refund(first, { amount: 1 });
  const common = { currency: "BRL", refundCount: 1n };
  expect(await sumsOf(merchant, paidOn, third)).toEqual([
    { ...common, day: third, what: "refund of payments", amount: 1n },
    { ...common, day: leftOn, what: "refund of payments", amount: 5990n, refundCount: 2n },
    { ...common, day: leftOn, what: "refund of exceptions", amount: 700n },
    { ...common, day: leftOn, what: "return of payments", amount: 10_000n },
  ]);
  expect(await sumsOf(merchant, paidOn, paidOn)).toEqual([]);
  expect(await sumsOf(await createMerchant(service), paidOn, third)).toEqual([]);

  // The books, which other code writes, hold the same of payments.
  const [booked] = await rows.read(
    `SELECT sum(credit_minor)::text AS sum FROM test.ledger_line
      WHERE tenant_id = $1 AND kind IN ('refund', 'return') AND account = 'provider_clearing'`,
    [merchant.tenant.id],
  );
  expect(booked).toEqual({ sum: "15991" });

  const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  const page = (await finance.get(`/console/test/close/${leftOn}?lang=en`)).body;
  for (const text of ["Refunded on this day", "R$59.90", "R$100.00", "R$7.00"]) {
    expect(page).toContain(text);
  }
  const month = (await finance.get(`/console/test/close?month=${leftOn.slice(0, 7)}&lang=en`)).body;
  expect(month).toContain("Refunded on the day");
});

test.each([
  ["2026-01-02", "2026-01-01", "from"],
  ["2026-01-01", "2027-01-02", "to"],
  ["", "2026-01-01", "from"],
])("the sums from %j to %j are refused on %s", async (from, to, param) => {
  const { as } = await createMerchant(service);
  const refusal = await refusalOf(refunds.summarizeRefunds({ from, to }, as));
  expect(refusal).toMatchObject({ code: "invalid_request", param });
});

test("exceptions are listed with their ids and what went back, by payment, page by page and open ones alone", async () => {
  const merchant = await createMerchant(service);
  const scene = new RefundScene(service, merchant, rows);
  const [first, second] = [await scene.lateMoney(), await scene.lateMoney()];
  const list = async (request: object) => await checkout.listPaymentExceptions(request, merchant.as);
  const idsOf = async (request: object) => (await list(request)).exceptions.map(({ id }) => id);
  const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  const home = async () => (await finance.get("/console/test?lang=en")).body;
  expect(await home()).toContain("could not become a payment: 2");

  expect(await idsOf({})).toEqual([second.id, first.id]);
  const page = await list({ limit: 1 });
  expect(page).toMatchObject({ hasMore: true, nextCursor: second.id });
  expect(await idsOf({ limit: 1, startingAfter: second.id })).toEqual([first.id]);
  expect(await idsOf({ paymentId: first.paymentId })).toEqual([first.id]);
  expect((await list({ paymentId: first.paymentId })).exceptions[0]?.refundAmount).toBe(0n);

  await giveBack(merchant, first.id, 5000n);
  expect(await idsOf({ isOpen: true })).toEqual([second.id, first.id]);
  await giveBack(merchant, first.id, 10_990n);
  expect(await idsOf({ isOpen: true })).toEqual([second.id]);
  expect(await home()).toContain("could not become a payment: 1");
  expect((await list({ paymentId: first.paymentId })).exceptions[0]?.refundAmount).toBe(15_990n);
  const made = await refunds.listExceptionRefunds({ paymentId: first.paymentId }, merchant.as);
  expect(made.refunds).toMatchObject([
    { exceptionId: first.id, amount: 10_990n },
    { exceptionId: first.id, amount: 5000n },
  ]);

  const shown = (await finance.get(`/console/test/payments/${first.paymentId}?lang=en`)).body;
  for (const text of [first.id, "refunded or in progress", made.refunds[0]?.id ?? "", "came late"]) {
    expect(shown).toContain(text);
  }
  const all = (await finance.get("/console/test/payments/exceptions?lang=en")).body;
  for (const text of [first.id, second.id, second.paymentId, "to refund"]) {
    expect(all).toContain(text);
  }
  const other = await createMerchant(service);
  expect((await checkout.listPaymentExceptions({}, other.as)).exceptions).toEqual([]);
});
