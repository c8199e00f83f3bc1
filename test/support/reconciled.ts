import { expect } from "vitest";
import { createClient } from "@connectrpc/connect";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DatabaseRows } from "./database-rows.ts";
import type { Merchant } from "./merchant.ts";
import { verified, type Received } from "./receiver.ts";
import type { TestService } from "./service.ts";

interface Sums {
  readonly count: number;
  readonly net: number;
}

/**
 * Every payment of the merchant has its event, each delivery has succeeded, the books are clean, and the nets of
 * webhooks, payments and ledger are one number.
 */
export async function expectReconciled(
  service: TestService,
  merchant: Merchant,
  secret: string,
  received: readonly Received[],
): Promise<Sums> {
  const nets = new Map<string, number>();
  for (const item of received) {
    const { data } = verified(item, secret);
    nets.set(data.payment.id, data.payment.net_amount);
  }
  const payments = await allPayments(merchant);
  expect([...nets.keys()].toSorted()).toEqual(payments.map(({ id }) => id).toSorted());
  const webhooks: Sums = { count: nets.size, net: sum([...nets.values()]) };
  const api: Sums = { count: payments.length, net: sum(payments.map(({ net_amount }) => net_amount)) };
  const { balances } = await merchant.ledger.getTrialBalance({}, merchant.as);
  const payable = balances.find(({ account }) => account === "merchant_payable");
  expect(webhooks).toEqual(api);
  expect(Number(payable?.credit ?? 0n)).toBe(api.net);
  const check = await createClient(LedgerService, service.core.transport).checkLedger(
    { mode: Mode.TEST },
    service.internal,
  );
  expect(check.problems).toEqual([]);
  expect(Number(check.paymentCount)).toBe(api.count);
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const open = "test.webhook_delivery WHERE status <> 'succeeded' AND tenant_id = $1";
  await expect.poll(async () => await rows.count(open, [merchant.tenant.id]), { timeout: 20_000 }).toBe(0);
  await rows.close();
  const failed = { status: DeliveryStatus.FAILED };
  expect((await merchant.webhooks.listDeliveries(failed, merchant.as)).deliveries).toEqual([]);
  return api;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** All payments of the day before, of today and of the day after, page by page. */
async function allPayments({ api }: Merchant): Promise<{ id: string; net_amount: number }[]> {
  const day = (offset: number): string =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const payments: { id: string; net_amount: number }[] = [];
  for (let cursor = ""; ;) {
    const after = cursor === "" ? "" : `&starting_after=${cursor}`;
    const { body } = await api.get(`/v1/payments?from=${day(-1)}&to=${day(1)}&limit=100${after}`);
    payments.push(...body.data);
    if (!body.has_more) return payments;
    cursor = body.next_cursor;
  }
}
