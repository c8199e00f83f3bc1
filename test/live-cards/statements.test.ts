import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
import { API_KEY, configAt, connectCards, pass, startCards, type CardMerchant } from "./card-merchant.ts";

const HOUR = 3600;
const DAY = 86_400;
const keyOf = (number: number): string => `${API_KEY}-${number}`;

const cards = await forFile(startCards(Array.from({ length: 12 }, (_, index) => keyOf(index))));
const { asaas, service, providers } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
let count = 0;

/** A merchant with an account that no other one has. */
async function connected(): Promise<CardMerchant & { readonly key: string }> {
  const key = keyOf(count++);
  return { ...(await connectCards(cards, key)), key };
}

const firstOf = (reference: string): string => asaas.paymentsOf(reference)[0]?.id ?? "";
const statusOf = async ({ read }: CardMerchant, id: string) => (await read(id))["status"];
/** Lets the time pass, and the worker read the statements that are due. No charge is asked about. */
async function sweep(seconds: number, tasks = service.core.tasks): Promise<void> {
  service.clock.advance(seconds);
  asaas.clock.advance(seconds);
  await tasks.sweepProviders();
}

/** Starts a payment that no check asks about any more. */
async function unwatched(merchant: CardMerchant, installments = 1) {
  const started = await merchant.start(installments);
  await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [started.paymentId]);
  return started;
}

async function swept(merchant: CardMerchant, installments = 1) {
  const started = await unwatched(merchant, installments);
  asaas.pay(firstOf(started.reference));
  await sweep(HOUR + 60);
  expect(await statusOf(merchant, started.paymentId)).toBe("succeeded");
  return started;
}

/** What the merchant does in his own pages at Asaas. */
async function atAsaas(key: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { access_token: key, "user-agent": "test", "content-type": "application/json" };
  const answer = await fetch(asaas.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as { id: string };
}

async function madeAtAsaas(key: string, externalReference: string): Promise<string> {
  const { id: customer } = await atAsaas(key, "/customers", { name: "Ana", cpfCnpj: "24971563792" });
  const dueDate = asaas.clock.now().toISOString().slice(0, 10);
  const terms = { customer, billingType: "CREDIT_CARD", value: 77.01, dueDate, externalReference };
  const { id } = await atAsaas(key, "/payments", terms);
  asaas.pay(id);
  return id;
}

test("of many days that are asked for at once, the one that Asaas refuses is passed over alone, and told", async () => {
  const merchant = await connected();
  const refused = new Date(asaas.clock.nowMs() - 100 * DAY * 1000).toISOString().slice(0, 10);
  asaas.faults.draw = (call, query) => {
    const [first = "", last = ""] = [query.get("dateCreated[ge]"), query.get("dateCreated[le]")].map(String);
    const isConcerned = call === "listPayments" && first <= refused && refused <= last;
    return isConcerned ? { kind: "status", status: 400 } : undefined;
  };
  await sweep(DAY);
  const { accounts } = await providers.listProviderAccounts({}, merchant.as);
  const unread = accounts[0]?.unreadDays ?? [];
  expect(unread).toContain(refused);
  // A part has no more than a day, which may begin within one.
  expect(unread.length).toBeLessThanOrEqual(3);
  asaas.faults.draw = () => undefined;
  await sweep(DAY);
  expect((await providers.listProviderAccounts({}, merchant.as)).accounts[0]?.unreadDays).toEqual([]);
});

describe("case 4: the statement of a card account", () => {
  test("finds a payment in installments whose callback and checks were lost", async () => {
    const merchant = await connected();
    const { paymentId } = await swept(merchant, 3);
    await sweep(HOUR + 60);
    expect(await rows.count("live.taken_receipt WHERE payment_id = $1", [paymentId])).toBe(1);
  });

  test("finds a chargeback and a refund at Asaas itself whose callbacks were lost", async () => {
    const merchant = await connected();
    const [disputed, refunded] = [await swept(merchant, 3), await swept(merchant)];
    asaas.chargeback(firstOf(disputed.reference));
    asaas.moveChargeback(firstOf(disputed.reference), "lost");
    await atAsaas(merchant.key, `/payments/${firstOf(refunded.reference)}/refund`, { value: 12.34 });
    await sweep(DAY);
    const part = asaas.payment(firstOf(disputed.reference)).valueMinor;
    expect(await merchant.read(disputed.paymentId)).toMatchObject({ refunded_amount: Number(part) });
    expect(await merchant.read(refunded.paymentId)).toMatchObject({ refunded_amount: 1234 });
  });

  test("finds what was lost while Asaas did not answer for two days, also in a new process", async () => {
    const merchant = await connected();
    const { paymentId, reference } = await unwatched(merchant);
    asaas.pay(firstOf(reference));
    asaas.fail("listPayments", { kind: "status", status: 503 }, 999);
    for (let hours = 0; hours < 48; hours += 8) await sweep(8 * HOUR).catch(() => undefined);
    expect(await statusOf(merchant, paymentId)).toBe("processing");
    asaas.faults.clear();
    service.faults.length = 0;
    const other = await secondService(service, { allowLoopbackProviders: true });
    await sweep(2 * HOUR, other.core.tasks);
    // A round does not wait for an account that is slow.
    const found = async () => {
      await other.core.tasks.sweepProviders();
      return await statusOf(merchant, paymentId);
    };
    await expect.poll(found, { timeout: 60_000 }).toBe("succeeded");
    // The payment is there before the sweeps of all accounts have ended, and may be found by another one than its cursor's.
    const failing = async () => {
      await other.core.tasks.sweepProviders();
      return await rows.count("live.provider_sweep WHERE failure_count > 0");
    };
    await expect.poll(failing, { timeout: 60_000 }).toBe(0);
    const sql = "SELECT swept_to FROM live.provider_sweep WHERE account_id = $1 AND kind = 'received'";
    const [cursor] = await rows.read(sql, [merchant.accountId]);
    expect(cursor?.["swept_to"]).toEqual(new Date(service.clock.nowMs() - 60_000));
    await other.close();
  });
});

test("a twin that Asaas made after its charge was withdrawn is that payment's money, not unknown", async () => {
  const checkout = createClient(CheckoutService, service.core.transport);
  const merchant = await connected();
  const { paymentId, reference } = await merchant.start();
  await pass(cards, 961);
  expect(await statusOf(merchant, paymentId)).toBe("failed");
  const id = await madeAtAsaas(merchant.key, reference);
  await sweep(HOUR + 60);
  const { exceptions } = await checkout.listPaymentExceptions({ paymentId }, merchant.as);
  expect(exceptions).toMatchObject([{ reason: "late", amount: 7701n, providerPaymentId: id }]);
  expect((await providers.listUnknownMoney({}, merchant.as)).money).toEqual([]);
  await sweep(HOUR + 60);
  expect((await checkout.listPaymentExceptions({ paymentId }, merchant.as)).exceptions).toHaveLength(1);
});

describe("case 9: money under a reference of ours that no charge explains", () => {
  test("is unknown money and credited to none, and the merchant's other charges are not", async () => {
    const [merchant, other] = [await connected(), await connected()];
    const { paymentId, reference } = await other.start();
    const stray = newId("pay").replace("_", "");
    const ids = [await madeAtAsaas(merchant.key, stray), await madeAtAsaas(merchant.key, reference)];
    await madeAtAsaas(merchant.key, "order-77");
    service.faults.length = 0;
    await sweep(HOUR + 60);
    service.faults.length = 0;
    const { money } = await providers.listUnknownMoney({}, merchant.as);
    expect(new Map(money.map(({ endToEndId, txid, amount }) => [endToEndId, [txid, amount]]))).toEqual(
      new Map([
        [ids[0], [stray, 7701n]],
        [ids[1], [reference, 7701n]],
      ]),
    );
    expect(await statusOf(other, paymentId)).toBe("processing");
    await providers.settleUnknownMoney(
      { accountId: merchant.accountId, endToEndId: ids[0] ?? "", note: "Refunded at Asaas." },
      merchant.as,
    );
    expect((await providers.listUnknownMoney({}, merchant.as)).money).toHaveLength(1);
  });
});

describe("case 15: an account of cards", () => {
  test("that gets a new key keeps its open charges, their money and their refunds", async () => {
    const merchant = await connected();
    const { accountId: id } = merchant;
    const { paymentId, reference } = await unwatched(merchant, 2);
    const newKey = `${merchant.key}-new`;
    asaas.account(merchant.key).apiKey = newKey;
    await providers.rotateProviderAccount({ id, asaas: configAt(cards, newKey) }, merchant.as);
    asaas.pay(firstOf(reference));
    const read = await providers.sweepProviderAccount({ id }, merchant.as);
    expect(read).toMatchObject({ moneyCount: 1n, unknownCount: 0n });
    expect(await statusOf(merchant, paymentId)).toBe("succeeded");
    expect((await merchant.api.post(`/v1/payments/${paymentId}/refunds`, {})).status).toBe(201);
    service.clock.advance(20);
    await service.core.tasks.checkRefunds();
    expect(await merchant.read(paymentId)).toMatchObject({ refunded_amount: 100_000 });
  });

  test("that is retired still answers for its charges, returns, refunds and statements", async () => {
    const merchant = await connected();
    const [open, paid] = [await unwatched(merchant), await swept(merchant)];
    await providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
    asaas.pay(firstOf(open.reference));
    await sweep(HOUR + 60);
    expect(await statusOf(merchant, open.paymentId)).toBe("succeeded");
    expect((await merchant.api.post(`/v1/payments/${open.paymentId}/refunds`, {})).status).toBe(201);
    service.clock.advance(20);
    await service.core.tasks.checkRefunds();
    expect(await merchant.read(open.paymentId)).toMatchObject({ refunded_amount: 100_000 });
    asaas.chargeback(firstOf(paid.reference));
    asaas.moveChargeback(firstOf(paid.reference), "lost");
    service.clock.advance(300 * DAY);
    asaas.clock.advance(300 * DAY);
    await service.core.tasks.removePast();
    await service.core.tasks.sweepProviders();
    service.faults.length = 0;
    expect(await merchant.read(paid.paymentId)).toMatchObject({ refunded_amount: 100_000 });
    service.clock.advance(120 * DAY);
    asaas.clock.advance(120 * DAY);
    await service.core.tasks.removePast();
    expect(await rows.count("live.provider_sweep WHERE account_id = $1", [merchant.accountId])).toBe(0);
  });
});
