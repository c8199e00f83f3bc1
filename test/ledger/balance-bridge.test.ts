import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { Payment } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { RefundScene } from "../refunds/scene.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const paymentsOf = async ({ ledger, as }: Merchant): Promise<Payment[]> => {
  const filter = { from: "2020-01-01", to: "2100-01-01" };
  const { payments } = await ledger.searchPayments({ filter, limit: 100 }, as);
  return payments.filter(({ createdAt }) => createdAt !== undefined);
};
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

describe("the bridge from what was received to what is the merchant's", () => {
  test.each([
    ["BRL", { amount: 15_990 }],
    ["BRL", { amount: 15_990, fee_handling: "pass_through" }],
    ["USD", { amount: 100_000 }],
    ["BRL", { amount: 5000, currency: "USD" }],
  ] as const)("is exact in %s, with fees, conversions and refunds: %j", async (payoutCurrency, link) => {
    const merchant = await createMerchant(service, { payoutCurrency });
    const scene = new RefundScene(service, merchant, rows);
    const [first, second] = [(await merchant.pay(link)).body.id, (await merchant.pay(link)).body.id];
    await merchant.pay(link, { payment_method: "card" });
    await merchant.pay(link, { outcome: "failed" });
    await scene.refund(first, { amount: 777 });
    await scene.refund(second);
    for (const isSummed of [false, true]) {
      if (isSummed) await service.core.tasks.sumLines();
      const { bridges } = await merchant.ledger.getBalanceBridge({}, merchant.as);
      const { balances } = await merchant.ledger.getBalance({}, merchant.as);
      for (const bridge of bridges) {
        const { received, fees, tax, converted, returned, net, pending, available } = bridge;
        expect(received - fees - tax - converted - returned).toBe(net);
        expect(pending + available).toBe(net);
      }
      expect(
        bridges
          .filter(({ net }) => net !== 0n)
          .map(({ currency, pending, available }) => ({ currency, pending, available })),
      ).toEqual(balances.map(({ currency, pending, available }) => ({ currency, pending, available })));
      const paid = (await paymentsOf(merchant)).filter(({ failureCode }) => failureCode === undefined);
      const inReais = bridges.find(({ currency }) => currency === "BRL");
      expect(inReais?.received).toBe(sum(paid.map(({ grossAmount }) => grossAmount)));
      expect(inReais?.returned).toBe(sum(paid.map(({ refundedAmount = 0n }) => refundedAmount)));
    }
  });

  test("is on the page of the balance in both languages, and of another tenant there is nothing", async () => {
    const merchant = await createMerchant(service);
    const scene = new RefundScene(service, merchant, rows);
    const id = await scene.paidByPix();
    await scene.refund(id);
    const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
    const page = async (language: string) =>
      textOf((await viewer.get(`/console/test/payments/balance?lang=${language}`)).body);
    expect(await page("pt-BR")).toMatch(
      /Recebido de quem pagou R\$ 159,90 Tarifas −R\$ 1,98 Devolvido −R\$ 159,90 Líquido, o que é seu −R\$ 1,98 A receber R\$ 157,92 Disponível −R\$ 159,90 Devolução de R\$ 159,90 em dinheiro que ainda não estava disponível/,
    );
    expect(await page("en")).toContain("Net, what is yours −R$1.98");
    const late = await scene.lateMoney();
    await createClient(RefundsService, service.core.transport).refundException(
      { id: late.id },
      { headers: { ...merchant.as.headers, "idempotency-key": late.id } },
    );
    expect(await page("pt-BR")).toMatch(/ R\$ 159,90 de valores sem pagamento, fora da conta acima/);
    const other = await createMerchant(service);
    expect((await other.ledger.getBalanceBridge({}, other.as)).bridges).toEqual([]);
  });
});
