import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CallbackProofKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import {
  cardToken,
  connectPagarme,
  KEYS,
  OTHER_KEYS,
  pass,
  referenceOf,
  startPagarmeService,
  type PagarmeMerchant,
} from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService([KEYS, OTHER_KEYS]));
const { pagarme, service, providers } = cards;
const merchant = await connectPagarme(cards);

const post = async ({ callbackUrl }: PagarmeMerchant, payload: string, headers: object) =>
  (
    await service.gateway.inject({
      method: "POST",
      url: new URL(callbackUrl).pathname,
      headers: { ...headers },
      payload,
    })
  ).statusCode;
const told = (paymentId: string): string =>
  JSON.stringify({
    id: crypto.randomUUID(),
    type: "charge.paid",
    data: { id: "ch_1", order: { code: referenceOf(paymentId) } },
  });
const signed = async (payload: string, to = merchant) =>
  await post(to, payload, pagarme.signing.headers(payload));
const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const statusOf = async (id: string, of = merchant) => (await of.read(id))["status"];

/** A payment that its issuer has not decided yet. */
async function waiting(of = merchant, keys = KEYS): Promise<string> {
  pagarme.decide({ kind: "processing" });
  const token = await cardToken(pagarme, undefined, {}, keys.publicKey);
  return await of.paid(await of.opened(), 1, token);
}

describe("case 15: callbacks of Pagar.me", () => {
  test("with a right signature of the body are taken, and Pagar.me is asked", async () => {
    const id = await waiting();
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    expect(await signed(told(id))).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await statusOf(id)).toBe("succeeded");
  });

  test("that say what is not so move nothing", async () => {
    const id = await waiting();
    expect(await signed(told(id))).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await statusOf(id)).toBe("processing");
  });

  test("with no signature, a forged one, one of an unknown key or one of another body are refused", async () => {
    const before = pagarme.requests.filter(({ call }) => call !== "readKeys").length;
    const payload = told("pay_0");
    for (const mode of ["none", "forged", "unknown"] as const) {
      pagarme.signing.mode = mode;
      expect(await signed(payload)).toBe(403);
    }
    pagarme.signing.mode = "right";
    expect(await post(merchant, `${payload} `, pagarme.signing.headers(payload))).toBe(403);
    const name = "x-webhook-asymmetric-signature";
    const right = String(pagarme.signing.headers(payload)[name]);
    for (const header of [
      "",
      "alg=none",
      right.replace("RS256", "none"),
      `${right}; kid=2`,
      "x".repeat(3000),
    ]) {
      expect(await post(merchant, payload, { [name]: header })).toBe(403);
    }
    await service.core.tasks.answerCallbacks();
    expect(pagarme.requests.filter(({ call }) => call !== "readKeys")).toHaveLength(before);
  });

  test("of many unknown keys ask for the published ones once a minute", async () => {
    const read = () => pagarme.requests.filter(({ call }) => call === "readKeys").length;
    pagarme.signing.mode = "unknown";
    service.clock.advance(61);
    const before = read();
    for (let count = 0; count < 5; count++) expect(await signed(told(`pay_${count}`))).toBe(403);
    expect(read() - before).toBe(1);
    pagarme.signing.mode = "right";
  });

  test("of a new key are taken once the former one is followed by it", async () => {
    service.clock.advance(61);
    pagarme.signing.rotate({ isFormerShown: false });
    expect(await signed(told("pay_0"))).toBe(200);
  });

  test("get 503 while the keys cannot be read, so that Pagar.me sends them again", async () => {
    service.clock.advance(2 * 3600);
    pagarme.fail("readKeys", { kind: "cut" });
    const payload = told("pay_1");
    expect(await signed(payload)).toBe(503);
    expect(await signed(payload)).toBe(200);
  });

  test("about another tenant's charge ask nothing of this account", async () => {
    const other = await connectPagarme(cards, OTHER_KEYS);
    const id = await waiting(other, OTHER_KEYS);
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    expect(await signed(told(id))).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await statusOf(id, other)).toBe("processing");
    expect(await signed(told(id), other)).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await statusOf(id, other)).toBe("succeeded");
  });

  test("of two tenants, their payments and refunds, bring each account's own keys to Pagar.me, and no other", async () => {
    const other = await connectPagarme(cards, OTHER_KEYS);
    for (const [one, keys] of [
      [merchant, KEYS],
      [other, OTHER_KEYS],
    ] as const) {
      const from = pagarme.requests.length;
      const id = await waiting(one, keys);
      pagarme.endWaiting(chargeOf(id), { kind: "paid" });
      await signed(told(id), one);
      await service.core.tasks.answerCallbacks();
      expect((await one.api.post(`/v1/payments/${id}/refunds`, {})).status).toBe(201);
      await providers.verifyProviderAccount({ id: one.accountId }, one.as);
      const asked = pagarme.requests.slice(from);
      const secret = `Basic ${Buffer.from(`${keys.secretKey}:`).toString("base64")}`;
      const own = asked.filter(({ call }) => call !== "readKeys" && call !== "createToken");
      expect(new Set(own.map(({ call }) => call))).toEqual(
        new Set(["createOrder", "listOrders", "cancelCharge", "listHooks"]),
      );
      expect(new Set(own.map(({ headers }) => headers.authorization))).toEqual(new Set([secret]));
      expect(new Set(asked.flatMap(({ query }) => query["appId"] ?? []))).toEqual(new Set([keys.publicKey]));
    }
  });

  test("are proven by the account's own key alone, if it names one", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const callbackKey = publicKey.export({ type: "spki", format: "pem" });
    const own = await connectPagarme(cards, { ...OTHER_KEYS, callbackKey });
    const payload = told("pay_2");
    expect(await signed(payload, own)).toBe(403);
    const signature = sign("sha256", Buffer.from(payload), privateKey).toString("base64");
    const headers = { "x-webhook-asymmetric-signature": `alg=RS256; kid=any; signature=${signature}` };
    expect(await post(own, payload, headers)).toBe(200);
  });
});

describe("input 8: callbacks of an account that names a user and a password", () => {
  const { secretKey, publicKey } = OTHER_KEYS;
  const [user, password] = ["paylink", "segredo-do-painel:2026"];
  const given = {
    secret_key: secretKey,
    public_key: publicKey,
    base_url: pagarme.baseUrl,
    antifraud: "false",
  };
  const basic = (text: string, scheme = "Basic") => ({
    authorization: `${scheme} ${Buffer.from(text).toString("base64")}`,
  });
  const connected = async (): Promise<PagarmeMerchant> => {
    const own = await connectPagarme(cards, OTHER_KEYS);
    const settings = { ...given, "callback.user": user, "callback.password": password };
    const { account } = await providers.rotateProviderAccount({ id: own.accountId, settings }, own.as);
    expect(account?.callbackProof).toBe(CallbackProofKind.BASIC);
    return own;
  };

  test("are taken by HTTP Basic without a signature, and Pagar.me is asked", async () => {
    const own = await connected();
    const id = await waiting(own, OTHER_KEYS);
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    expect(await post(own, told(id), basic(`${user}:${password}`))).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await statusOf(id, own)).toBe("succeeded");
    expect(await post(own, told(id), basic(`${user}:${password}`, "basic"))).toBe(200);
    // No key of signatures is asked for.
    pagarme.fail("readKeys", { kind: "text", status: 200, text: '{"keys":[]}' });
    expect(await providers.verifyProviderAccount({ id: own.accountId }, own.as)).toMatchObject({
      isAccepted: true,
    });
    pagarme.faults.clear();
  });

  test("are refused with another user or password, without one, and by a signature alone", async () => {
    const own = await connected();
    const payload = told("pay_0");
    for (const headers of [
      {},
      basic(`${user}:other`),
      basic(`other:${password}`),
      basic(`${user}:${password}`, "Bearer"),
      { authorization: `Basic ${user}:${password}` },
      pagarme.signing.headers(payload),
    ]) {
      expect(await post(own, payload, headers)).toBe(403);
    }
    expect(await post(merchant, payload, basic(`${user}:${password}`))).toBe(403);
  });

  test.each([
    [{ "callback.user": user }, "settings.callback.password"],
    [{ "callback.password": password }, "settings.callback.user"],
    [{ "callback.user": "a:b", "callback.password": password }, "settings.callback.user"],
    [{ "callback.user": user, "callback.password": "short" }, "settings.callback.password"],
    [{}, "settings.callback.keys"],
    [
      { "callback.keys": "published", "callback.user": user, "callback.password": password },
      "settings.callback.keys",
    ],
  ])("are not set up by %o", async (changes, param) => {
    const settings = { ...given, ...changes };
    const request = { id: merchant.accountId, settings };
    const refusal = await refusalOf(providers.rotateProviderAccount(request, merchant.as));
    expect(refusal).toMatchObject({ code: "invalid_request", param });
  });
});

describe("case 15: an account at Pagar.me", () => {
  const put = async (changes: object) =>
    await refusalOf(
      providers.putProviderAccount(
        { kind: 2, profile: "pagarme", pagarme: { ...KEYS, baseUrl: pagarme.baseUrl, ...changes } },
        merchant.as,
      ),
    );

  test("is refused with a key of test mode, a small key of callbacks or another host", async () => {
    expect(await put({ secretKey: "sk_test_0123456789" })).toMatchObject({ param: "pagarme.secret_key" });
    expect(await put({ secretKey: "" })).toMatchObject({ param: "pagarme.secret_key" });
    expect(await put({ publicKey: "pk_test_0123456789" })).toMatchObject({ param: "pagarme.public_key" });
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const small = publicKey.export({ type: "spki", format: "pem" });
    expect(await put({ callbackKey: small })).toMatchObject({ param: "pagarme.callback_key" });
    expect(await put({ baseUrl: "https://example.com/core/v5" })).toMatchObject({
      param: "pagarme.base_url",
    });
    expect(await put({})).toMatchObject({ code: "provider_account_exists" });
    const missing = providers.putProviderAccount({ kind: 2, profile: "pagarme" }, merchant.as);
    expect(await refusalOf(missing)).toMatchObject({ param: "settings" });
  });

  test("is verified by its key and the keys of signatures", async () => {
    const { accountId: id } = merchant;
    const verify = async () => await providers.verifyProviderAccount({ id }, merchant.as);
    expect(await verify()).toMatchObject({ isAccepted: true, isCallbackRegistered: false });
    pagarme.callbacks.mode = "lost";
    pagarme.setHook(merchant.callbackUrl);
    await waiting();
    expect(await verify()).toMatchObject({ isAccepted: true, isCallbackRegistered: true });
    pagarme.fail("listHooks", { kind: "unauthorized" });
    expect(await verify()).toMatchObject({ isAccepted: false, problem: expect.stringContaining("401") });
    pagarme.fail("readKeys", { kind: "text", status: 200, text: '{"keys":[]}' });
    expect(await verify()).toMatchObject({
      isAccepted: false,
      problem: expect.stringContaining("signatures"),
    });
  });

  test("shows neither of its secrets", async () => {
    const { accounts } = await providers.listProviderAccounts({}, merchant.as);
    const text = JSON.stringify(accounts, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).toContain(KEYS.secretKey.slice(-4));
    expect(text).not.toContain(KEYS.secretKey);
    expect(text).not.toContain(new URL(merchant.callbackUrl).pathname.split("/").at(-1));
  });

  test("that is busy is asked again when it says so", async () => {
    const id = await waiting();
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    pagarme.faults.draw = (call) => (call === "listOrders" ? { kind: "busy", retryAfter: "300" } : undefined);
    await expect(pass(cards, 31)).rejects.toThrow(/429|looked after/);
    pagarme.faults.draw = () => undefined;
    await pass(cards, 200);
    expect(await statusOf(id)).toBe("processing");
    await pass(cards, 120);
    expect(await statusOf(id)).toBe("succeeded");
  });

  test("that gets other keys, or is retired, still answers for its open charges", async () => {
    const own = await connectPagarme(cards);
    const id = await waiting(own);
    const pagarmeConfig = { ...KEYS, baseUrl: pagarme.baseUrl, maxInstallments: 3 };
    await providers.rotateProviderAccount({ id: own.accountId, pagarme: pagarmeConfig }, own.as);
    await expect(own.opened()).rejects.toThrow("must be at most 3, which the card account offers");
    await providers.retireProviderAccount({ id: own.accountId }, own.as);
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    await pass(cards, 31);
    expect(await statusOf(id, own)).toBe("succeeded");
    await expect(own.opened()).rejects.toThrow("card is not offered here");
  });
});
