import { describe, expect, test } from "vitest";
import { refusalOf } from "../support/refusal.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, CALLBACK_TOKEN, configAt, connectCards, pass, startCards } from "./card-merchant.ts";

const OTHER_KEY = `${API_KEY}-other`;
const cards = await forFile(startCards([API_KEY, OTHER_KEY]));
const rows = await forFile(new DatabaseRows(cards.service.databaseUrl).open());
const { asaas, service, providers } = cards;
const merchant = await connectCards(cards);
const firstOf = (reference: string): string => asaas.paymentsOf(reference)[0]?.id ?? "";

const post = async (path: string, payload: string, token: string | null = CALLBACK_TOKEN) =>
  await service.gateway.inject({
    method: "POST",
    url: path,
    headers: token === null ? {} : { "asaas-access-token": token },
    payload,
  });
const told = (reference: string, event = "PAYMENT_CONFIRMED") =>
  JSON.stringify({ id: `evt_${reference}`, event, payment: { id: "pay_1", externalReference: reference } });

describe("callbacks of Asaas", () => {
  test("with the account's token are answered with 200, and the provider is asked", async () => {
    const { paymentId, reference } = await merchant.start(2);
    asaas.pay(firstOf(reference));
    expect((await post(merchant.path, told(reference))).statusCode).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
  });

  const asksFor = (reference: string): number =>
    asaas.requests.filter(({ query }) => query["externalReference"] === reference).length;

  test("of one charge that come together are asked about once, and later ones again", async () => {
    const { paymentId, reference } = await merchant.start(21);
    const asked = asksFor(reference);
    for (const [index] of asaas.paymentsOf(reference).entries()) {
      expect((await post(merchant.path, told(reference, `PAYMENT_DELETED_${index}`))).statusCode).toBe(200);
    }
    await service.core.tasks.answerCallbacks();
    expect(asksFor(reference) - asked).toBe(1);
    asaas.fail("listPayments", { kind: "status", status: 503 });
    await post(merchant.path, told(reference, "PAYMENT_AUTHORIZED"));
    await expect(service.core.tasks.answerCallbacks()).rejects.toThrow("followed");
    service.faults.length = 0;
    asaas.pay(firstOf(reference));
    await post(merchant.path, told(reference));
    await service.core.tasks.answerCallbacks();
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
  });

  test("of a chargeback, while Asaas does not answer for 40 minutes, are asked about until it does", async () => {
    const { paymentId, reference } = await merchant.start();
    asaas.pay(firstOf(reference));
    await pass(cards, 31);
    asaas.chargeback(firstOf(reference));
    asaas.moveChargeback(firstOf(reference), "lost");
    await post(merchant.path, told(reference, "PAYMENT_REFUNDED"));
    asaas.fail("listPayments", { kind: "status", status: 503 }, 999);
    for (let minute = 0; minute < 40; minute++) {
      await service.core.tasks.answerCallbacks().catch(() => undefined);
      service.clock.advance(60);
    }
    asaas.faults.clear();
    service.faults.length = 0;
    service.clock.advance(3600);
    await service.core.tasks.answerCallbacks();
    expect(await merchant.read(paymentId)).toMatchObject({ refunded_amount: 100_000 });
  });

  test("that say what is not so move nothing", async () => {
    const { paymentId, reference } = await merchant.start();
    expect((await post(merchant.path, told(reference, "PAYMENT_RECEIVED"))).statusCode).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect((await merchant.read(paymentId))["status"]).toBe("processing");
    await pass(cards, 961);
  });

  test("without the token, or with another one, are refused and leave nothing", async () => {
    const before = asaas.requests.length;
    for (const token of [null, "", `${CALLBACK_TOKEN}x`]) {
      expect((await post(merchant.path, told("pay0"), token)).statusCode).toBe(403);
    }
    expect((await post("/providers/unknown", told("pay0"))).statusCode).toBe(404);
    await service.core.tasks.answerCallbacks();
    expect(asaas.requests).toHaveLength(before);
  });

  test("of the merchant's own charges, and of PIX on the same key, count as no unknown reference", async () => {
    const { reference } = await merchant.start();
    const others = [
      { externalReference: "order-77", billingType: "CREDIT_CARD" },
      { externalReference: reference, billingType: "PIX" },
    ];
    for (const payment of others) {
      expect((await post(merchant.path, JSON.stringify({ payment }))).statusCode).toBe(200);
    }
    const from = asaas.requests.length;
    await service.core.tasks.answerCallbacks();
    expect(asaas.requests).toHaveLength(from);
    expect((await service.core.providerStanding()).unknownReferenceCount).toBe(0);
  });

  test("case 15: of two tenants bring each account's own key to Asaas, and no other", async () => {
    const other = await connectCards(cards, OTHER_KEY);
    for (const [one, key] of [
      [merchant, API_KEY],
      [other, OTHER_KEY],
    ] as const) {
      const from = asaas.requests.length;
      const { reference } = await one.start();
      asaas.pay(firstOf(reference));
      await post(one.path, told(reference));
      await service.core.tasks.answerCallbacks();
      const keys = asaas.requests.slice(from).map(({ headers }) => headers["access_token"]);
      expect(new Set(keys)).toEqual(new Set([key]));
    }
  });

  test("about another tenant's charge ask nothing of this account", async () => {
    const other = await connectCards(cards, OTHER_KEY);
    const { paymentId, reference } = await other.start();
    asaas.pay(firstOf(reference));
    expect((await post(merchant.path, told(reference))).statusCode).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect((await other.read(paymentId))["status"]).toBe("processing");
    expect((await post(other.path, told(reference))).statusCode).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect((await other.read(paymentId))["status"]).toBe("succeeded");
  });
});

describe("a card account", () => {
  test("is verified, and its address of callbacks is set there once", async () => {
    const { accountId: id } = merchant;
    expect(await providers.verifyProviderAccount({ id }, merchant.as)).toMatchObject({
      isAccepted: true,
      isCallbackRegistered: false,
    });
    for (let count = 0; count < 2; count++) {
      const verified = await providers.verifyProviderAccount({ id, isRegistered: true }, merchant.as);
      expect(verified).toMatchObject({ isAccepted: true, isCallbackRegistered: true });
    }
    const [webhook, ...others] = asaas.account(API_KEY).webhooks.values();
    expect(others).toEqual([]);
    expect(webhook).toMatchObject({ authToken: CALLBACK_TOKEN, email: asaas.account(API_KEY).email });
    if (webhook) webhook.isInterrupted = true;
    const interrupted = await providers.verifyProviderAccount({ id }, merchant.as);
    expect(interrupted).toMatchObject({ isAccepted: false, problem: expect.stringContaining("stopped") });
  });

  test("case 15: is refused with a key of the other mode, a short token or a page of another host", async () => {
    const put = async (changes: object) =>
      await refusalOf(
        providers.putProviderAccount(
          { kind: 2, profile: "asaas", asaas: { ...configAt(cards), ...changes } },
          merchant.as,
        ),
      );
    expect(await put({ apiKey: "$aact_hmlg_000M5n9c4V" })).toMatchObject({ param: "asaas.api_key" });
    expect(await put({ callbackToken: "short" })).toMatchObject({ param: "asaas.callback_token" });
    expect(await put({ baseUrl: "https://example.com/v3" })).toMatchObject({ param: "asaas.base_url" });
    expect(await put({})).toMatchObject({ code: "provider_account_exists" });
  });

  test("case 15: shows and logs neither its key nor its token", async () => {
    const { accounts } = await providers.listProviderAccounts({}, merchant.as);
    const text = JSON.stringify(accounts, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).toContain(API_KEY.slice(-4));
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(CALLBACK_TOKEN);
  });

  test("that is retired offers no card, and still answers for its charges", async () => {
    const one = await connectCards(cards, OTHER_KEY);
    const { paymentId, reference } = await one.start();
    await providers.retireProviderAccount({ id: one.accountId }, one.as);
    asaas.pay(firstOf(reference));
    await pass(cards, 31);
    expect((await one.read(paymentId))["status"]).toBe("succeeded");
    await expect(one.start()).rejects.toThrow("card is not offered here");
  });
});

test("a callback that was not answered for 30 days is given up, and what is logged is the provider's own fault", async () => {
  const { reference } = await merchant.start();
  await post(merchant.path, told(reference, "PAYMENT_REFUNDED"));
  const open = "live.provider_callback WHERE due_at IS NOT NULL";
  asaas.fail("listPayments", { kind: "status", status: 503 }, 999);
  await expect(service.core.tasks.answerCallbacks()).rejects.toThrow("callbacks could not be followed");
  expect(await rows.count(open)).toBe(1);
  service.clock.advance(31 * 86_400);
  await service.core.tasks.answerCallbacks().catch(() => undefined);
  expect(await rows.count(open)).toBe(0);
  expect(service.faults.map(String).join()).not.toContain("is not a function");
  asaas.faults.clear();
  service.faults.length = 0;
});
