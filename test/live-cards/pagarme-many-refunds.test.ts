import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { callBack, connectPagarme, pass, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

// In 18 installments, the payables of these are two pages.
const REFUNDS = 30;
const DAY = 86_400;

const cards = await forFile(startPagarmeService());
const { service, pagarme } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await connectPagarme(cards);

async function refundedInParts(): Promise<string> {
  const id = await merchant.paid(await merchant.opened(), 18);
  for (let count = 0; count < REFUNDS; count++) {
    const { status } = await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 20 });
    expect(status).toBe(201);
  }
  return id;
}

const chargeOf = (id: string): string => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const gone = async (id: string): Promise<unknown> => (await merchant.read(id))["refunded_amount"];

test("a chargeback of a payment in many installments with many refunds is booked, and its money is read", async () => {
  const id = await refundedInParts();
  expect(await gone(id)).toBe(20 * REFUNDS);
  pagarme.chargeback(chargeOf(id));
  await callBack(cards, merchant, id);
  await service.core.tasks.readReceivables();
  expect(await gone(id)).toBe(100_000);
  const { receivables } = await merchant.ledger.listReceivables({ paymentId: id }, merchant.as);
  const taken = receivables.map(({ chargeback, refundDeduction }) => chargeback + refundDeduction);
  expect(taken.reduce((sum, minor) => sum + minor, 0n)).toBe(100_000n);
  expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
});

/** Runs the sweeps that are due to their end: a round waits for no slow one, which is due 45 s later for as long. */
async function sweepToTheEnd(): Promise<void> {
  const soon = new Date(service.clock.nowMs() + 59_000);
  const isDueSoon = async (): Promise<number> => {
    await service.core.tasks.sweepProviders();
    return await rows.count("live.provider_sweep WHERE due_at < $1", [soon]);
  };
  await expect.poll(isDueSoon, { timeout: 60_000 }).toBe(0);
}

test("what went back is found without a callback, though a list has more than a page of one second", async () => {
  const id = await refundedInParts();
  pagarme.chargeback(chargeOf(id));
  for (let day = 0; day < 2; day++) {
    await pass(cards, DAY);
    await sweepToTheEnd();
  }
  expect(await gone(id)).toBe(100_000);
});
