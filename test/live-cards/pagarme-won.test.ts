import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DisputeStatus, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { balancesOf, checkLedger, entriesOf, kindsOf, written } from "../ledger/book-keeper.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { DAY } from "./paid-card.ts";
import { callBack, connectPagarme, pass, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refunds = createClient(RefundsService, service.core.transport);

const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const paid = async (installments = 1): Promise<string> =>
  await merchant.paid(await merchant.opened(), installments);
const refund = async (id: string, body: object = {}) =>
  (await merchant.api.post(`/v1/payments/${id}/refunds`, body)).status;
const goneOf = async (id: string) => (await merchant.read(id))["refunded_amount"] ?? 0;
const problems = async () => (await checkLedger(service, Mode.LIVE)).problems;
const today = (): string => dayAt(service.clock.nowMs()).toString();

async function tell(id: string): Promise<void> {
  await callBack(cards, merchant, id);
  await service.core.tasks.readReceivables();
}

/** Lets a day pass, and the worker read what is due. */
async function oneDay(): Promise<void> {
  await pass(cards, DAY);
  await service.core.tasks.sweepProviders();
  await service.core.tasks.readReceivables();
}

/** The type of each event of returns of a payment with what it says, in the order in which they were sent. */
const told = async (id: string) =>
  await rows.read(
    `SELECT type, (told->'return'->>'amount')::int AS amount, (told->'return'->>'reversed_at') IS NOT NULL AS is_back,
      (told->'payment'->>'refunded_amount')::int AS gone
    FROM live.event, LATERAL (SELECT convert_from(body, 'UTF8')::json->'data' AS told) AS data
    WHERE type LIKE 'payment.return%' AND object_id = $1 ORDER BY created_at, id`,
    [id],
  );

test("a chargeback that is won after its return is told once, and payment, books and dispute have it, though no callback came", async () => {
  const id = await paid(3);
  await oneDay();
  const before = await balancesOf(merchant);
  pagarme.chargeback(chargeOf(id), 2);
  for (let day = 0; day < 2; day++) await oneDay();
  const lostOn = (await refunds.summarizeRefunds({ from: today(), to: today() }, merchant.as)).sums;
  expect(await goneOf(id)).toBe(33_333);
  const { disputes } = await refunds.listDisputes({ paymentId: id }, merchant.as);
  expect(disputes).toMatchObject([{ status: DisputeStatus.LOST, installment: 2, amount: 33_333n }]);

  pagarme.reverseChargeback(chargeOf(id));
  for (let day = 0; day < 3; day++) await oneDay();
  expect(await told(id)).toEqual([
    { type: "payment.returned", amount: 33_333, is_back: false, gone: 33_333 },
    { type: "payment.return_reversed", amount: 33_333, is_back: true, gone: null },
  ]);
  expect(await merchant.read(id)).not.toHaveProperty("refunded_amount");
  const after = await refunds.listDisputes({ paymentId: id }, merchant.as);
  expect(after.disputes).toMatchObject([{ id: disputes[0]?.id, status: DisputeStatus.WON }]);
  expect((await refunds.listReturns({ paymentId: id }, merchant.as)).returns).toMatchObject([
    { amount: 33_333n, reversedAt: expect.anything() },
  ]);
  const net = (balances: Awaited<ReturnType<typeof balancesOf>>) =>
    Object.entries(balances).flatMap(([name, [debit, credit]]) =>
      debit === credit ? [] : [[name, debit - credit]],
    );
  expect(net(await balancesOf(merchant))).toEqual(net(before));
  expect((await kindsOf(merchant, id)).filter((kind) => kind.startsWith("return"))).toEqual([
    "return",
    "return_reversal",
  ]);
  const [gone, back] = (await entriesOf(merchant, id))
    .slice(-4)
    .filter(({ sourceId }) => sourceId?.startsWith("ref_"));
  const opposite =
    back &&
    written(back).map((line) =>
      line.includes(" Dr ") ? line.replace(" Dr ", " Cr ") : line.replace(" Cr ", " Dr "),
    );
  expect(gone && written(gone)).toEqual(opposite?.toSorted());
  expect(lostOn).toEqual([]);
  expect(await problems()).toEqual([]);
  expect(service.faults).toEqual([]);
  const user = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
  expect((await user.get(`/console/live/payments/${id}?lang=en`)).body).toContain(
    "came back: chargeback won",
  );
});

test("money that came back counts on its own day, and can be refunded again, to the centavo", async () => {
  const id = await paid(3);
  await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 10_001 });
  pagarme.chargeback(chargeOf(id), 1);
  await tell(id);
  const lost = today();
  const before = Number(await goneOf(id));
  const sums = async (day: string) =>
    (await refunds.summarizeRefunds({ from: day, to: day }, merchant.as)).sums.filter(
      ({ isReturn }) => isReturn,
    );
  const [ofLost] = await sums(lost);
  await pass(cards, DAY);
  pagarme.reverseChargeback(chargeOf(id));
  for (let count = 0; count < 2; count++) await tell(id);
  expect(before - Number(await goneOf(id))).toBe(33_334);
  expect(await sums(lost)).toEqual([ofLost]);
  expect(await sums(today())).toMatchObject([{ refundCount: 0n, amount: 0n, reversedAmount: 33_334n }]);
  expect(await refund(id)).toBe(201);
  expect(await goneOf(id)).toBe((await merchant.read(id))["amount"]);
  expect(await problems()).toEqual([]);
});

test("of two chargebacks of one installment each is won or lost for itself", async () => {
  const id = await paid(2);
  const rounds = ["lost", "won", "lost again"] as const;
  for (const round of rounds) {
    if (round === "won") pagarme.reverseChargeback(chargeOf(id));
    else pagarme.chargeback(chargeOf(id), 1);
    await pass(cards, 60);
    await tell(id);
  }
  expect((await told(id)).map(({ type }) => type)).toEqual([
    "payment.returned",
    "payment.return_reversed",
    "payment.returned",
  ]);
  expect(await goneOf(id)).toBe(50_000);
  const { disputes } = await refunds.listDisputes({ paymentId: id }, merchant.as);
  expect(disputes.map(({ status }) => status)).toEqual([DisputeStatus.LOST, DisputeStatus.WON]);
  expect(await problems()).toEqual([]);
});
