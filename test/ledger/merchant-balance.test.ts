import { expect, test } from "vitest";
import { merchantBalances } from "../../src/ledger/merchant-balance.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DAY = 86_400;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("the balance is what payments left, pending until they settle, less what was given back", async () => {
  const { api, pay } = await createMerchant(service);
  const balance = async () => (await api.get("/v1/balance")).body.data;
  expect(await balance()).toEqual([]);
  const [first, second] = [(await pay()).body, (await pay({ amount: 5000 })).body];
  const net = first.net_amount + second.net_amount;
  expect(await balance()).toEqual([{ currency: "BRL", pending: net, available: 0 }]);
  for (let day = 0; day < 10; day++) {
    service.clock.advance(DAY);
    await service.core.tasks.settle();
  }
  expect(await balance()).toEqual([{ currency: "BRL", pending: 0, available: net }]);
});

test("a balance beyond 2^53 is answered with all of its digits, and shown", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await service.core.tasks.sumLines();
  await rows.run(
    "UPDATE test.ledger_sum SET credit_minor = $2 WHERE tenant_id = $1 AND account = 'merchant_payable'",
    [merchant.tenant.id, "9007199254740993"],
  );
  const { statusCode, body } = await service.gateway.inject({
    url: "/v1/balance",
    headers: { authorization: `Bearer ${merchant.tenant.testKey}` },
  });
  expect([statusCode, body]).toEqual([
    200,
    '{"data":[{"currency":"BRL","pending":9007199254740993,"available":0}]}',
  ]);
  const user = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
  const page = await user.get("/console/test/payments/balance?lang=en");
  expect([page.statusCode, page.body.includes("90,071,992,547,409.93")]).toEqual([200, true]);
});

test("each currency has its own sums, of the merchant's accounts alone, below 0 too", () => {
  const sum = (
    account: "merchant_payable" | "merchant_available" | "revenue.service",
    debit: bigint,
    credit: bigint,
  ) => ({ account, currency: "USD", debitMinor: debit, creditMinor: credit }) as const;
  const sums = [
    sum("merchant_payable", 30n, 100n),
    sum("merchant_available", 50n, 20n),
    sum("revenue.service", 0n, 9n),
  ];
  expect(merchantBalances(sums)).toEqual([{ currency: "USD", pending: 70n, available: -30n }]);
  expect(merchantBalances(sums.slice(2))).toEqual([]);
});
