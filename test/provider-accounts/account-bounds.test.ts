import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { expect, test, vi } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { advance, configAt, connectMerchant, startLive, type LiveMerchant } from "./live-merchant.ts";

const ACCOUNTS_MAX = 2;
const DAY_SECONDS = 86_400;

/** The names that are not looked up before they are released. */
const held: (() => void)[] = [];
let isHeld = false;
const heldLookup: LookupFunction = (name, options, callback) => {
  const found = () => lookup(name, { ...options, family: 4 }, callback);
  if (isHeld) held.push(found);
  else found();
};

const quotas = { ...DEFAULT_QUOTAS, providerAccounts: ACCOUNTS_MAX };
const live = await forFile(startLive({ quotas, lookup: heldLookup }));

const verify = async ({ accountId: id, as }: LiveMerchant) =>
  (await live.providers.verifyProviderAccount({ id }, as)).isAccepted;
const tokenCount = () => live.bank.requests.filter(({ call }) => call === "token").length;

test("a tenant's accounts are bounded, with retired ones as long as their statements are read", async () => {
  const { as }: Merchant = await createMerchant(live.service, {}, "live");
  const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(live) };
  const put = async () => (await live.providers.putProviderAccount(request, as)).account?.id ?? "";
  for (let count = 0; count < ACCOUNTS_MAX; count++) {
    await live.providers.retireProviderAccount({ id: await put() }, as);
  }
  expect(await refusalOf(put())).toMatchObject({ code: "quota_exceeded" });
  expect((await live.providers.listProviderAccounts({}, as)).accounts).toHaveLength(ACCOUNTS_MAX);
  await connectMerchant(live);
  advance(live, 101 * DAY_SECONDS);
  await live.service.core.tasks.removePast();
  await expect(put()).resolves.toMatch(/^pac_/);
});

test("an account's client is dropped after ten minutes without use, and not before", async () => {
  const [used, unused] = [await connectMerchant(live), await connectMerchant(live)];
  const before = tokenCount();
  await verify(unused);
  await verify(used);
  advance(live, 300);
  await verify(used);
  expect(tokenCount() - before).toBe(2);
  advance(live, 301);
  await verify(used);
  expect(tokenCount() - before).toBe(2);
  await verify(unused);
  expect(tokenCount() - before).toBe(3);
});

test("a request that is under way when its client is dropped is answered", async () => {
  const [slow, other] = [await connectMerchant(live), await connectMerchant(live)];
  isHeld = true;
  const verified = verify(slow);
  await vi.waitFor(() => expect(held).toHaveLength(1));
  isHeld = false;
  advance(live, 601);
  expect(await verify(other)).toBe(true);
  held.forEach((release) => release());
  expect(await verified).toBe(true);
});
