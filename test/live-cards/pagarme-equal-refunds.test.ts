import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { callBack, connectPagarme, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);

const DAY = 86_400;
const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const paid = async (): Promise<string> => await merchant.paid(await merchant.opened());
const refund = async (id: string) => await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 500 });
const goneThere = (id: string): number => Number(pagarme.charge(chargeOf(id)).canceledMinor);
const goneHere = async (id: string) => (await merchant.read(id))["refunded_amount"] ?? 0;

/** A refund at Pagar.me's own page. */
async function refundThere(id: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${pagarme.account().secretKey}:`).toString("base64")}`;
  const init = { method: "DELETE", headers: { authorization }, body: JSON.stringify({ amount: 500 }) };
  await fetch(`${pagarme.baseUrl}/charges/${chargeOf(id)}`, init);
}

async function statuses(id: string): Promise<unknown[]> {
  const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
  return (body.data as { status: string }[]).map(({ status }) => status).toReversed();
}

async function checked(...seconds: number[]): Promise<void> {
  for (const step of seconds) {
    service.clock.advance(step);
    pagarme.clock.advance(step);
    await service.core.tasks.checkRefunds().catch(() => undefined);
  }
  service.faults.splice(0);
}

test("a refund that never left is not taken for another one of its amount", async () => {
  const id = await paid();
  await refund(id);
  pagarme.fail("cancelCharge", { kind: "cut" });
  await refund(id);
  await checked(60, 600, DAY);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
  expect(await statuses(id)).toEqual(["succeeded", "requested"]);
});

test("a refund made at Pagar.me's own page and recorded here is not taken for one made here", async () => {
  const id = await paid();
  await refundThere(id);
  await callBack(cards, merchant, id);
  expect(await goneHere(id)).toBe(500);
  pagarme.fail("cancelCharge", { kind: "cut" });
  await refund(id);
  await checked(60, 600, DAY);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
});

test("one made at Pagar.me's own page just before, without a callback, keeps no refund of its amount from being made", async () => {
  const id = await paid();
  await refundThere(id);
  await refund(id);
  await callBack(cards, merchant, id);
  expect([goneThere(id), await goneHere(id)]).toEqual([1000, 1000]);
  expect(await statuses(id)).toEqual(["succeeded"]);
});

test.each([
  ["lost", "cut"],
  ["cut", "lost"],
  ["lost", "lost"],
  ["cut", "cut"],
] as const)("two without an answer, %s and %s, come to what Pagar.me has", async (...kinds) => {
  const id = await paid();
  for (const kind of kinds) {
    pagarme.fail("cancelCharge", { kind });
    await refund(id);
  }
  await checked(60, 600, DAY);
  const made = kinds.filter((kind) => kind === "lost");
  expect([goneThere(id), await goneHere(id)]).toEqual([500 * made.length, 500 * made.length]);
  expect((await statuses(id)).filter((status) => status === "succeeded")).toHaveLength(made.length);
});

test("one that failed is not taken for a later one of its amount, whose answer is lost", async () => {
  const id = await paid();
  pagarme.refundRules.outcome = "refused";
  await refund(id);
  pagarme.refundRules.outcome = "done";
  pagarme.fail("cancelCharge", { kind: "lost" });
  await refund(id);
  await checked(60, 600);
  expect(await statuses(id)).toEqual(["failed", "succeeded"]);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
});

test("one that is denied after days is not held up by another one of its amount", async () => {
  const id = await paid();
  pagarme.refundRules.outcome = "pending";
  await refund(id);
  pagarme.endRefund(chargeOf(id), false);
  pagarme.refundRules.outcome = "done";
  await refund(id);
  await checked(2 * DAY, 3600, 3600);
  expect(await statuses(id)).toEqual(["failed", "succeeded"]);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
});
