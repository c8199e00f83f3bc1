import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const PAGE = "/console/test/payments/balance?lang=en";
const FROM = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("the balance page shows what is to come by its day, what was settled and what went back, from the ledger", async () => {
  const merchant = await createMerchant(service, { settlementDays: 2 });
  const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
  const page = async () => textOf((await viewer.get(PAGE)).body);
  expect(await page()).toContain("Nothing yet.");
  const [one, two] = [(await merchant.pay()).body, (await merchant.pay({ amount: 10_000 })).body];
  const net = BigInt(one.net_amount + two.net_amount);
  const days = async () => await merchant.ledger.listSettlementDays({ from: FROM }, merchant.as);
  const balance = async () => (await merchant.ledger.getBalance({}, merchant.as)).balances[0];
  const { settlesOn } = await merchant.ledger.getPaymentBridge({ paymentId: one.id }, merchant.as);
  expect((await days()).due).toMatchObject([
    { day: settlesOn, currency: "BRL", amount: net, paymentCount: 2n },
  ]);
  expect((await balance())?.pending).toBe(net);
  const money = (minor: bigint) =>
    new Intl.NumberFormat("en", { style: "currency", currency: "BRL" }).format(Number(minor) / 100);
  expect(await page()).toContain(money(net));
  // As if they had succeeded long ago.
  await rows.run("UPDATE test.settlement SET succeeded_on = succeeded_on - 30 WHERE payment_id = $1", [
    one.id,
  ]);
  await service.core.tasks.settle();
  const { due, settled } = await days();
  expect([due[0]?.amount, settled[0]?.amount]).toEqual([BigInt(two.net_amount), BigInt(one.net_amount)]);
  expect((await balance())?.available).toBe(settled[0]?.amount);
  const text = await page();
  for (const amount of [one.net_amount, two.net_amount]) expect(text).toContain(money(BigInt(amount)));
  const other = await createMerchant(service);
  expect(await other.ledger.listSettlementDays({ from: FROM }, other.as)).toMatchObject({
    due: [],
    settled: [],
  });
});
