import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { newId } from "../../contract/ids.ts";
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

const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const tell = async (id: string): Promise<void> => await callBack(cards, merchant, id);

const problems = async () => (await checkLedger(service, Mode.LIVE)).problems;

/** A payment that failed here, and whose money came after its end. */
async function lateMoney(installments = 1): Promise<string> {
  pagarme.fail("createOrder", { kind: "lost" });
  const id = await merchant.paid(await merchant.opened(), installments);
  service.faults.splice(0);
  pagarme.hide(referenceOf(id), 900);
  for (const seconds of [31, 60, 60, 60, 3600]) await pass(cards, seconds);
  return id;
}

const exceptionOf = async (id: string) => {
  const sql = "SELECT id, refund_reserved_minor AS minor FROM live.payment_exception WHERE payment_id = $1";
  return (await rows.read(sql, [id]))[0];
};
const refundException = async (id: unknown, amount?: bigint) => {
  const headers = { ...merchant.as.headers, "idempotency-key": newId("req") };
  const asked = { id: String(id), ...(amount !== undefined && { amount }) };
  return (await refunds.refundException(asked, { headers })).refund?.amount;
};

test("a chargeback of an exception's money that is won leaves the exception its money, though no callback came", async () => {
  const id = await lateMoney();
  pagarme.chargeback(chargeOf(id));
  await tell(id);
  expect(await exceptionOf(id)).toMatchObject({ minor: "100000" });
  pagarme.reverseChargeback(chargeOf(id));
  for (let day = 0; day < 2; day++) {
    await pass(cards, DAY);
    await service.core.tasks.sweepProviders();
  }
  const exception = await exceptionOf(id);
  expect(exception).toMatchObject({ minor: "0" });
  expect(await refundException(exception?.["id"])).toBe(100_000n);
});

test("what a chargeback could not take of an exception is taken when another one is won", async () => {
  const id = await lateMoney(2);
  expect(await refundException((await exceptionOf(id))?.["id"], 30_000n)).toBe(30_000n);
  for (const installment of [1, 2]) {
    pagarme.chargeback(chargeOf(id), installment);
    await tell(id);
    await pass(cards, 60);
  }
  service.faults.splice(0);
  for (const [installment, minor] of [
    [1, "80000"],
    [2, "30000"],
  ] as const) {
    pagarme.reverseChargeback(chargeOf(id), { installment });
    for (let count = 0; count < 2; count++) await tell(id);
    expect(await exceptionOf(id)).toMatchObject({ minor });
    await pass(cards, 60);
  }
});

test("a chargeback that is won before a process that died had booked it frees its amount", async () => {
  const id = await merchant.paid(await merchant.opened());
  pagarme.chargeback(chargeOf(id));
  await rows.run("ALTER TABLE live.ledger_entry ADD CONSTRAINT refused CHECK (kind <> 'return') NOT VALID");
  await tell(id).catch(() => undefined);
  await rows.run("ALTER TABLE live.ledger_entry DROP CONSTRAINT refused");
  service.faults.splice(0);
  expect(await rows.count("live.refund WHERE payment_id = $1 AND status = 'processing'", [id])).toBe(1);
  pagarme.reverseChargeback(chargeOf(id));
  await pass(cards, 60);
  await tell(id);
  expect((await merchant.api.post(`/v1/payments/${id}/refunds`, {})).body).toMatchObject({ amount: 100_000 });
  expect(await problems()).toEqual([]);
});

/** The type of each event of returns of a payment, with the return's amount. */
const told = async (id: string) =>
  (
    await rows.read(
      `SELECT concat(type, ' ', convert_from(body, 'UTF8')::json->'data'->'return'->>'amount') AS line
        FROM live.event WHERE type LIKE 'payment.return%' AND object_id = $1 ORDER BY 1`,
      [id],
    )
  ).map(({ line }) => line);

test("what a chargeback could not take is taken when another one is won, and is never refundable", async () => {
  const id = await merchant.paid(await merchant.opened(), 2);
  const next = async () => {
    await pass(cards, 60);
    await tell(id);
  };
  const goneOf = async () => (await merchant.read(id))["refunded_amount"] ?? 0;
  const refund = async (amount: number) =>
    (await merchant.api.post(`/v1/payments/${id}/refunds`, { amount })).status;
  expect(await refund(30_000)).toBe(201);
  for (const installment of [1, 2]) {
    pagarme.chargeback(chargeOf(id), installment);
    await next();
  }
  service.faults.splice(0);
  pagarme.reverseChargeback(chargeOf(id), { installment: 1 });
  for (let count = 0; count < 2; count++) await next();
  const lost = ["payment.return_reversed 50000", "payment.returned 20000", "payment.returned 30000"];
  expect([await goneOf(), await problems()]).toEqual([80_000, []]);
  expect(await told(id)).toEqual([...lost, "payment.returned 50000"]);
  expect(await refund(20_001)).toBe(400);
  expect(await refund(10_000)).toBe(201);
  pagarme.reverseChargeback(chargeOf(id), { installment: 2 });
  for (let count = 0; count < 2; count++) await next();
  expect([await goneOf(), await problems()]).toEqual([40_000, []]);
  expect(await told(id)).toEqual(
    [
      ...lost,
      "payment.return_reversed 20000",
      "payment.return_reversed 30000",
      "payment.returned 50000",
    ].toSorted(),
  );
  expect(await refund(60_000)).toBe(201);
  expect([await goneOf(), await problems(), service.faults]).toEqual([100_000, [], []]);
});

test("a chargeback that could take nothing is booked when another one is won", async () => {
  const id = await merchant.paid(await merchant.opened(), 2);
  await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 50_000 });
  for (const installment of [1, 2]) {
    pagarme.chargeback(chargeOf(id), installment);
    await tell(id);
    await pass(cards, 60);
  }
  service.faults.splice(0);
  pagarme.reverseChargeback(chargeOf(id), { installment: 1 });
  const { payables } = pagarme.account();
  payables.reverse();
  await tell(id);
  payables.reverse();
  expect([(await merchant.read(id))["refunded_amount"], await problems()]).toEqual([100_000, []]);
  expect(service.faults).toEqual([]);
});

test("the check of the books finds a chargeback that is not booked whole while money is left", async () => {
  const id = await merchant.paid(await merchant.opened(), 2);
  pagarme.chargeback(chargeOf(id), 1);
  await tell(id);
  await rows.run("UPDATE live.refund SET unbooked_minor = 7 WHERE payment_id = $1", [id]);
  expect(await problems()).toMatchObject([{ code: "wrong_refunded_amount", paymentId: id }]);
  await rows.run("UPDATE live.refund SET unbooked_minor = 0 WHERE payment_id = $1", [id]);
});

test("money of a chargeback that comes back in another amount is reported once, and reverses nothing", async () => {
  const id = await merchant.paid(await merchant.opened());
  const days = async (count: number) => {
    for (let day = 0; day < count; day++) {
      await pass(cards, DAY);
      await service.core.tasks.sweepProviders();
      await service.core.tasks.readReceivables();
    }
  };
  pagarme.chargeback(chargeOf(id));
  await days(1);
  expect(service.faults).toEqual([]);
  pagarme.reverseChargeback(chargeOf(id), { amountMinor: 60_000n });
  await days(4);
  const report = { mode: "live", account_id: merchant.accountId, payment_id: id };
  expect(service.faults.splice(0)).toEqual([report]);
  expect((await merchant.read(id))["refunded_amount"]).toBe(100_000);
  expect(await told(id)).toEqual(["payment.returned 100000"]);
});
