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

test("a refund that never left is not taken for another one of its amount after its key has ended", async () => {
  const id = await paid();
  await refund(id);
  pagarme.fail("cancelCharge", { kind: "cut" });
  await refund(id);
  await checked(DAY, 60, 60, 60, 3600, 3600);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
  expect(await statuses(id)).toEqual(["succeeded", "failed"]);
});

test("a refund made at Pagar.me's own page and recorded here is not taken for one made here", async () => {
  const id = await paid();
  const authorization = `Basic ${Buffer.from(`${pagarme.account().secretKey}:`).toString("base64")}`;
  const body = JSON.stringify({ amount: 500 });
  await fetch(`${pagarme.baseUrl}/charges/${chargeOf(id)}`, {
    method: "DELETE",
    headers: { authorization },
    body,
  });
  await callBack(cards, merchant, id);
  expect(await goneHere(id)).toBe(500);
  pagarme.fail("cancelCharge", { kind: "cut" });
  await refund(id);
  await checked(DAY, 60, 60, 60, 3600, 3600);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
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
  await checked(DAY, 60, 60, 60, 3600, 3600);
  expect(goneThere(id)).toBe(500 * kinds.filter((kind) => kind === "lost").length);
  expect(await goneHere(id)).toBe(goneThere(id));
  expect((await statuses(id)).every((status) => status === "succeeded" || status === "failed")).toBe(true);
});

test("one whose key has ended waits for another one that may have the money by its own key", async () => {
  const id = await paid();
  pagarme.fail("cancelCharge", { kind: "cut" });
  await refund(id);
  service.clock.advance(22 * 3600);
  pagarme.clock.advance(22 * 3600);
  pagarme.fail("cancelCharge", { kind: "lost" });
  await refund(id);
  await checked(3600 + 60, 60, 60, 3600, DAY, DAY, 2 * DAY, 4 * DAY, 4 * DAY);
  expect([goneThere(id), await goneHere(id)]).toEqual([500, 500]);
  expect(await statuses(id)).toEqual(["failed", "succeeded"]);
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
