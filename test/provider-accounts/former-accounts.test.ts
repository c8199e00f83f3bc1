import { hash } from "node:crypto";
import { compactDecrypt, CompactEncrypt } from "jose";
import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { CLIENT } from "../api-pix/connected.ts";
import { API_KEY, CALLBACK_TOKEN, startCard } from "../live-cards/card-merchant.ts";
import { cardToken, FULL_PERSON, KEYS, referenceOf } from "../live-cards/pagarme-merchant.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";
import { Payer } from "../support/payer.ts";
import {
  asaasRow,
  MARKED_CLIENT,
  markedRow,
  OTHER_CLIENT,
  pagarmeRow,
  pemRow,
  pkcs12Row,
  type FormerRow,
} from "./former-rows.ts";
import { advance, passUntilNoon, startLive } from "./live-merchant.ts";

const live = await forFile(startLive({}, { clients: [CLIENT, OTHER_CLIENT, MARKED_CLIENT] }));
const { service, bank, providers } = live;
const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));
const pagarme = await startPagarme({ accounts: [{ ...KEYS, isAntifraudOn: true }] });
await forFile(Promise.resolve({ close: async () => await pagarme.stop() }));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const HOUR = 3600;
bank.callbacks.mode = "lost";
asaas.callbacks.mode = "lost";
passUntilNoon(live);
const pass = (seconds: number): void => {
  advance(live, seconds);
  for (const { clock } of [asaas, pagarme]) clock.set(new Date(service.clock.nowMs()));
};
pass(0);

/** A payment as its provider plays it. */
interface Play {
  /** Starts a payment, and returns its id. */
  readonly start: (merchant: Merchant) => Promise<string>;
  /** Has it paid, and returns what the provider calls back. */
  readonly pay: (reference: string) => object;
  readonly proof: (payload: string) => { readonly query?: string; readonly headers?: Record<string, string> };
  /** Makes a payment of which the provider's statement says what nobody asked about. Absent: starts and pays it. */
  readonly unasked?: (merchant: Merchant) => Promise<string>;
}

async function opened({ newLink }: Merchant, method: "pix" | "card"): Promise<Payer> {
  const payer = new Payer(service, await newLink({ payment_methods: [method] }));
  await payer.open();
  return payer;
}

const pixPlay = (hmac: string): Play => ({
  start: async (merchant) => (await (await opened(merchant, "pix")).start()).paymentId,
  pay: (txid) => ({ pix: [{ txid, endToEndId: bank.pay(txid, 15_990n).endToEndId }] }),
  proof: () => ({ query: `?hmac=${hmac}&ignorar=/pix` }),
});

const asaasPlay: Play = {
  start: async (merchant) => (await startCard(await opened(merchant, "card"))).paymentId,
  pay: (externalReference) => {
    const id = asaas.paymentsOf(externalReference)[0]?.id ?? "";
    asaas.pay(id);
    return { id: `evt_${id}`, event: "PAYMENT_CONFIRMED", payment: { id, externalReference } };
  },
  proof: () => ({ headers: { "asaas-access-token": CALLBACK_TOKEN } }),
};

const chargeOf = (code: string): string => pagarme.ordersOf(code)[0]?.charges[0]?.id ?? "";
async function payCard(merchant: Merchant): Promise<string> {
  const payer = await opened(merchant, "card");
  return (await payer.card(await cardToken(pagarme), 1, { payer: FULL_PERSON })).paymentId;
}

const pagarmePlay: Play = {
  start: async (merchant) => {
    pagarme.decide({ kind: "processing" });
    return await payCard(merchant);
  },
  pay: (code) => {
    pagarme.endWaiting(chargeOf(code), { kind: "paid" });
    return { id: `hook_${code}`, type: "charge.paid", data: { id: chargeOf(code), order: { code } } };
  },
  proof: (payload) => ({ headers: { ...pagarme.signing.headers(payload) } }),
  // What is swept of Pagar.me is what went back.
  unasked: async (merchant) => {
    const id = await payCard(merchant);
    const authorization = `Basic ${Buffer.from(`${KEYS.secretKey}:`).toString("base64")}`;
    const request = { method: "DELETE", headers: { authorization }, body: JSON.stringify({ amount: 1000 }) };
    await fetch(`${pagarme.baseUrl}/charges/${chargeOf(referenceOf(id))}`, request);
    return id;
  },
};

const seal = async (text: string, owner: string): Promise<string> =>
  await new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", owner })
    .encrypt(DATA_KEY);

async function insert(table: string, row: object): Promise<void> {
  const values = Object.values(row);
  const places = values.map((_, index) => `$${index + 1}`).join(", ");
  await rows.run(`INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${places})`, values);
}

const routeOf = ({ callbackSecret }: FormerRow["config"]): string =>
  `callback:${hash("sha256", callbackSecret)}`;

/** A merchant with an account that the former code put. */
async function withRow({ kind, profile, config, columns, sweeps }: FormerRow) {
  const merchant = await createMerchant(service, {}, "live");
  const { id: tenant_id } = merchant.tenant;
  const [id, now] = [newId("pac"), new Date(Math.floor(service.clock.nowMs() / 1000) * 1000)];
  const after = (hours: number): Date => new Date(now.getTime() + hours * HOUR * 1000);
  await insert("live.provider_account", {
    tenant_id,
    id,
    kind,
    profile,
    ...columns,
    state: "active",
    revision: 1,
    sealed_config: await seal(JSON.stringify(config), `provider account ${id} of ${tenant_id}`),
    callback_route: routeOf(config),
    created_at: now,
    callbacks_check_at: now,
  });
  // At noon in São Paulo: a day is read at one in the night, and what went back at two.
  const dueAfter: Record<string, number> = { received: 1, day: 13, returns: 14 };
  for (const sweep of sweeps) {
    const [swept_to, due_at] = [sweep === "day" ? after(-12) : now, after(dueAfter[sweep] ?? 0)];
    const cursor = { kind: sweep, swept_to, due_at, failure_count: 0 };
    await insert("live.provider_sweep", { tenant_id, account_id: id, ...cursor });
  }
  for (const owned of [id, routeOf(config)]) {
    await insert("identity.route", { id: owned, tenant_id, mode: "live" });
  }
  return { ...merchant, id };
}

/** What is stored of an account, decrypted as the former code did. */
async function storedOf(
  id: string,
): Promise<{ config: FormerRow["config"]; columns: Record<string, unknown> }> {
  const [row = {}] = await rows.read("SELECT * FROM live.provider_account WHERE id = $1", [id]);
  const { plaintext, protectedHeader } = await compactDecrypt(String(row["sealed_config"]), DATA_KEY);
  expect(protectedHeader["owner"]).toBe(`provider account ${id} of ${String(row["tenant_id"])}`);
  return { config: JSON.parse(Buffer.from(plaintext).toString()) as FormerRow["config"], columns: row };
}

const pem = pemRow(live);
const p12 = pkcs12Row(live);
const hmacOf = ({ config }: FormerRow): string => String((config.callback as { secret?: string }).secret);

describe.each<[what: string, former: FormerRow, play: Play]>([
  ["of the API Pix with a certificate in PEM", pem, pixPlay(hmacOf(pem))],
  ["of the API Pix with a certificate in PKCS#12", p12, pixPlay(hmacOf(p12))],
  ["of Asaas without a page", asaasRow(asaas.baseUrl), asaasPlay],
  ["of Pagar.me", pagarmeRow(pagarme.baseUrl), pagarmePlay],
])("a stored account %s", async (_what, former, play) => {
  const { profile, columns } = former;
  const merchant = await withRow(former);
  const { id, as, api } = merchant;
  const read = async (paymentId: string) => (await api.get(`/v1/payments/${paymentId}`)).body;
  const callBack = async (told: object, isProven = true): Promise<number> => {
    const payload = JSON.stringify(told);
    const { query = "", headers = {} } = isProven ? play.proof(payload) : {};
    const url = `/providers/${former.config.callbackSecret}${query}`;
    return (await service.gateway.inject({ method: "POST", url, headers, payload })).statusCode;
  };
  /** Has a payment paid, and its callback answered. */
  const payAndCallBack = async (): Promise<void> => {
    const paymentId = await play.start(merchant);
    const told = play.pay(referenceOf(paymentId));
    expect(await callBack(told, false)).toBe(403);
    expect(await callBack(told)).toBe(200);
    await service.core.tasks.answerCallbacks();
    expect(await read(paymentId)).toMatchObject({ status: "succeeded" });
  };

  test("is listed, and its provider accepts it", async () => {
    const { accounts } = await providers.listProviderAccounts({}, as);
    const { last_four: lastFour } = columns;
    expect(accounts).toMatchObject([{ id, profile, lastFour, unreadDays: [] }]);
    const verified = await providers.verifyProviderAccount({ id }, as);
    expect(verified).toMatchObject({ isAccepted: true, missingScopes: [] });
  });

  test("takes a payment, and the callback of it", payAndCallBack);

  test("is swept", async () => {
    const { start, pay, unasked } = play;
    const paymentId = await (unasked ?? start)(merchant);
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
    if (!unasked) pay(referenceOf(paymentId));
    const swept = unasked ? { refunded_amount: 1000 } : { status: "succeeded" };
    expect(await read(paymentId)).not.toMatchObject(swept);
    pass(HOUR);
    await providers.sweepProviderAccount({ id }, as);
    expect(await read(paymentId)).toMatchObject(swept);
  });

  test.each(["message", "settings"] as const)("is rotated by its %s, and stays the same", async (by) => {
    const given = by === "message" ? former.message : { settings: former.settings };
    await providers.rotateProviderAccount({ id, ...given }, as);
    const stored = await storedOf(id);
    expect(stored.config).toStrictEqual({ ...former.config, ...former.later });
    expect(stored.columns).toMatchObject({ ...columns, callback_route: routeOf(former.config) });
    await payAndCallBack();
  });

  test.each(["message", "settings"] as const)("put by its %s has the shape that it had", async (by) => {
    const { as: other } = await createMerchant(service, {}, "live");
    const kind = former.kind === "pix" ? ProviderKind.PIX : ProviderKind.CARD;
    const given = by === "message" ? former.message : { settings: former.settings };
    const { account } = await providers.putProviderAccount({ kind, profile, ...given }, other);
    const { config, columns: shown } = await storedOf(account?.id ?? "");
    const made = expect.stringMatching(/^[\w-]{43}$/) as string;
    const callback = former.kind === "pix" ? { kind: "hmac", secret: made } : former.config.callback;
    const own = { callback, callbackSecret: made };
    expect(config).toStrictEqual({ ...former.config, ...former.later, ...own });
    expect(shown).toMatchObject({ ...columns, callback_route: routeOf(config) });
  });
});

describe("a stored account whose key is in another form", () => {
  const former = markedRow(live);
  const { settings } = former;
  const paid = async (merchant: Merchant & { readonly id: string }, paymentId: string): Promise<unknown> => {
    bank.pay(referenceOf(paymentId), 15_990n);
    pass(60);
    await service.core.tasks.checkCharges();
    return (await merchant.api.get(`/v1/payments/${paymentId}`)).body;
  };

  test("takes payments, and its rotation to the normal form is the same key, for open charges too", async () => {
    const merchant = await withRow(former);
    const { id, as } = merchant;
    const [first, open] = [await pixPlay("").start(merchant), await pixPlay("").start(merchant)];
    expect(await paid(merchant, first)).toMatchObject({ status: "succeeded" });
    await providers.rotateProviderAccount({ id, settings: { ...settings, pix_key: "11222333000181" } }, as);
    expect((await storedOf(id)).config).toMatchObject({ pixKey: "11222333000181" });
    expect(await paid(merchant, open)).toMatchObject({ status: "succeeded" });
  });

  test("and no key by today's rules keeps it in a rotation, and has no other one", async () => {
    const pixKey = "11987654321";
    const { id, as } = await withRow({
      ...former,
      config: { ...former.config, pixKey, callbackSecret: "x1" },
    });
    await providers.rotateProviderAccount({ id, settings: { ...settings, pix_key: pixKey } }, as);
    expect((await storedOf(id)).config).toMatchObject({ pixKey });
    const other = providers.rotateProviderAccount(
      { id, settings: { ...settings, pix_key: "11987654322" } },
      as,
    );
    await expect(other).rejects.toThrow("must stay");
    await providers.rotateProviderAccount({ id, settings: { ...settings, pix_key: "+5511987654321" } }, as);
    expect((await storedOf(id)).config).toMatchObject({ pixKey: "+5511987654321" });
  });
});
