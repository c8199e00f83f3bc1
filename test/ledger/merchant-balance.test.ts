import { expect, test } from "vitest";
import { merchantBalances } from "../../src/ledger/merchant-balance.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DAY = 86_400;

const service = await forFile(startService());

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
