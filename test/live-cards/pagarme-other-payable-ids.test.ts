import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DisputeStatus, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { DAY } from "./paid-card.ts";
import { callBack, connectPagarme, pass, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refunds = createClient(RefundsService, service.core.transport);

const paid = async (installments: number): Promise<string> =>
  await merchant.paid(await merchant.opened(), installments);
const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const goneOf = async (id: string) => (await merchant.read(id))["refunded_amount"] ?? 0;

/** Gives the payables of a payment ids in another form, `isTurned`: in the opposite order. */
function rename(id: string, isTurned = false): void {
  for (const payable of pagarme.account().payables) {
    const number = isTurned ? Number.MAX_SAFE_INTEGER - payable.id : payable.id;
    if (payable.charge.id === chargeOf(id)) payable.otherId = `pa_${number.toString(36)}`;
  }
}

/** Pagar.me tells of a payment, and its money is read. */
async function tell(id: string): Promise<void> {
  await callBack(cards, merchant, id);
  await service.core.tasks.readReceivables();
}

const told = async (id: string): Promise<unknown[]> => {
  const sql = "SELECT type FROM live.event WHERE type LIKE 'payment.return%' AND object_id = $1 ORDER BY id";
  return (await rows.read(sql, [id])).map(({ type }) => type);
};
const statusesOf = async (id: string): Promise<DisputeStatus[]> =>
  (await refunds.listDisputes({ paymentId: id }, merchant.as)).disputes.map(({ status }) => status);

/** There is one return of each chargeback, and one dispute. */
async function isOnce(id: string, minor: number, statuses: readonly DisputeStatus[]): Promise<void> {
  await tell(id);
  expect(await goneOf(id)).toBe(minor);
  expect(await told(id)).toEqual(statuses.map(() => "payment.returned"));
  expect(await statusesOf(id)).toEqual(statuses);
  expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
}

const { LOST, WON } = DisputeStatus;

test("a chargeback that is told under an id of another form later is one return, and one dispute", async () => {
  const id = await paid(3);
  pagarme.chargeback(chargeOf(id), 2);
  await isOnce(id, 33_333, [LOST]);
  rename(id);
  await isOnce(id, 33_333, [LOST]);
  for (let day = 0; day < 2; day++) {
    await pass(cards, DAY);
    await service.core.tasks.sweepProviders();
  }
  await isOnce(id, 33_333, [LOST]);
  expect(service.faults).toEqual([]);
});

test("a chargeback that is won under its new id is reversed once", async () => {
  const id = await paid(3);
  pagarme.chargeback(chargeOf(id), 2);
  await tell(id);
  await pass(cards, 60);
  pagarme.reverseChargeback(chargeOf(id));
  rename(id);
  for (let count = 0; count < 2; count++) await tell(id);
  expect([await goneOf(id), await statusesOf(id)]).toEqual([0, [WON]]);
  expect(await told(id)).toEqual(["payment.returned", "payment.return_reversed"]);
});

test("of two equal chargebacks under new ids the one that is won is reversed, and the other is not", async () => {
  const id = await paid(2);
  for (const installment of [1, 2]) pagarme.chargeback(chargeOf(id), installment);
  await isOnce(id, 100_000, [LOST, LOST]);
  rename(id);
  await isOnce(id, 100_000, [LOST, LOST]);
  await pass(cards, 60);
  pagarme.reverseChargeback(chargeOf(id), { installment: 2 });
  rename(id);
  for (let count = 0; count < 2; count++) await tell(id);
  expect(await goneOf(id)).toBe(50_000);
  expect(new Set(await statusesOf(id))).toEqual(new Set([LOST, WON]));
  expect(await told(id)).toEqual(["payment.returned", "payment.returned", "payment.return_reversed"]);
});

test.each([1, 2])(
  "of two equal chargebacks the one of installment %i, won before both have new ids, stays reversed, and the other lost",
  async (installment) => {
    const id = await paid(2);
    for (const each of [1, 2]) pagarme.chargeback(chargeOf(id), each);
    await isOnce(id, 100_000, [LOST, LOST]);
    await pass(cards, 60);
    pagarme.reverseChargeback(chargeOf(id), { installment });
    await tell(id);
    for (const isTurned of [true, false]) {
      rename(id, isTurned);
      await tell(id);
    }
    expect(await goneOf(id)).toBe(50_000);
    expect(new Set(await statusesOf(id))).toEqual(new Set([LOST, WON]));
    expect(await told(id)).toEqual(["payment.returned", "payment.returned", "payment.return_reversed"]);
  },
);

test("a new chargeback beside one under its new id is booked, and what both took beyond the payment is told once", async () => {
  const id = await paid(2);
  pagarme.chargeback(chargeOf(id), 1);
  await isOnce(id, 50_000, [LOST]);
  rename(id);
  await pass(cards, 600);
  pagarme.chargeback(chargeOf(id), 2);
  await isOnce(id, 100_000, [LOST, LOST]);
  await isOnce(id, 100_000, [LOST, LOST]);
});
