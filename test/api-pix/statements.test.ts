import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bank } from "../../bank/bank.ts";
import type { Profile } from "../../src/api-pix/profile.ts";
import type { ApiPixProvider } from "../../src/api-pix/provider.ts";
import {
  accountAt,
  all,
  CLIENT,
  connected,
  faultOf,
  movedProfile,
  NOW,
  profileOf,
  testBank,
  type TestBank,
} from "./connected.ts";

const DAY_MS = 86_400_000;
const after = (ms: number): Date => new Date(NOW.getTime() + ms);

/** Each test has money of its own, in a day of its own. */
let day = 0;
let made: TestBank;
let bank: Bank;
beforeAll(async () => {
  made = await testBank();
  bank = made.bank;
});
afterAll(async () => await bank.stop());

const adapter = (given: Partial<Profile> = {}): ApiPixProvider => {
  const profile = { ...profileOf("bacen"), ...given };
  return connected(made, { ...accountAt(made), profile }).provider;
};
const newDay = (): { from: Date; to: Date } => {
  day += 10;
  return { from: after(day * DAY_MS), to: after((day + 1) * DAY_MS - 1) };
};
const pay = (from: Date, seconds: number): string =>
  bank.payKey(BigInt(seconds + 1), { at: new Date(from.getTime() + seconds * 1000) }).endToEndId;
const idsOf = async (money: AsyncIterable<{ providerPaymentId: string }>): Promise<string[]> =>
  (await all(money)).map(({ providerPaymentId }) => providerPaymentId);

describe("a statement", () => {
  test("of several pages is whole and oldest first", async () => {
    const { from, to } = newDay();
    const paid = Array.from({ length: 7 }, (_, index) => pay(from, index));
    expect(await idsOf(adapter({ pageSize: 3 }).received({ from, to }))).toEqual(paid);
    const pages = bank.requests.filter(({ query }) => query["inicio"] === from.toISOString());
    expect(pages.map(({ query }) => query["paginacao.paginaAtual"])).toEqual(["0", "1", "2"]);
  });

  test("of nothing is empty", async () => {
    expect(await all(adapter().received(newDay()))).toEqual([]);
  });

  test("of several windows has the money of both ends once", async () => {
    const { from } = newDay();
    const to = new Date(from.getTime() + 3 * DAY_MS);
    const paid = [0, 86_399, 86_400, 2 * 86_400, 3 * 86_400].map((seconds) => pay(from, seconds));
    pay(from, 3 * 86_400 + 1);
    expect(await idsOf(adapter().received({ from, to }))).toEqual(paid);
  });

  test("is asked for in whole seconds of a bank that has no others, and misses nothing", async () => {
    const { from } = newDay();
    const to = new Date(from.getTime() + 2 * DAY_MS);
    const account = { ...accountAt(made), profile: movedProfile("santander") };
    const at = new Date(from.getTime() + DAY_MS - 300);
    const { endToEndId } = bank.payKey(5n, { at });
    const paid = [endToEndId, pay(from, 86_400)];
    const ids = await idsOf(connected(made, account).provider.received({ from, to }));
    expect(ids).toEqual(paid);
    const { query } = bank.requests.findLast(({ call }) => call === "statement") ?? { query: {} };
    expect(Object.values<string>(query).filter((text) => text.includes("."))).toEqual([]);
  });

  test("case 15: whose pages shift is read again, and has the new money too", async () => {
    const { from, to } = newDay();
    const paid = Array.from({ length: 5 }, (_, index) => pay(from, index));
    bank.fail("statement", { kind: "drift", amountMinor: 77n });
    const ids = await idsOf(adapter({ pageSize: 2 }).received({ from, to }));
    expect(ids).toHaveLength(6);
    expect(ids).toEqual(expect.arrayContaining(paid));
  });

  test("case 15: whose pages never stand still is a fault, not a part of the money", async () => {
    const { from, to } = newDay();
    for (let index = 0; index < 5; index++) pay(from, index);
    bank.fail("statement", { kind: "drift", amountMinor: 77n }, 100);
    const failed = await faultOf(all(adapter({ pageSize: 2 }).received({ from, to })));
    bank.faults.clear();
    expect(failed).toEqual({ kind: "unknown", code: "shifting_pages" });
  });

  test("names the reference that came with the money, or none", async () => {
    const { from, to } = newDay();
    bank.payKey(1n, { at: from, txid: "somebodyelses00000000000000" });
    bank.payKey(2n, { at: to });
    const references = (await all(adapter().received({ from, to }))).map(({ reference }) => reference);
    expect(references).toEqual(["somebodyelses00000000000000", null]);
  });

  test("leaves out what came to another key of the bank's account", async () => {
    const { from, to } = newDay();
    bank.payKey(1n, { at: from, key: "loja@example.com" });
    const own = pay(from, 1);
    expect(await idsOf(adapter().received({ from, to }))).toEqual([own]);
    const account = { ...accountAt(made), pixKey: "LOJA@example.com" };
    expect(await all(connected(made, account).provider.received({ from, to }))).toHaveLength(1);
  });

  test("of returns has only money of which something went back", async () => {
    const { from, to } = newDay();
    pay(from, 1);
    const returned = pay(from, 100);
    bank.returnByBank(returned, 40n, "MED_OPERACIONAL");
    const money = await all(adapter().returned({ from, to }));
    expect(money.map(({ providerPaymentId }) => providerPaymentId)).toEqual([returned]);
    expect(money[0]?.returns[0]).toMatchObject({ amountMinor: 40n, reason: "MED_OPERACIONAL" });
  });

  test.each([
    { kind: "empty", status: 200 },
    { kind: "empty", status: 204 },
    { kind: "html", status: 200 },
    { kind: "html", status: 404 },
    { kind: "status", status: 503 },
  ] as const)("is not taken as empty after %o", async (fault) => {
    const { from, to } = newDay();
    bank.fail("statement", fault);
    expect((await faultOf(all(adapter().received({ from, to })))).kind).toBe("unknown");
  });

  test("of another client is never seen", async () => {
    expect(bank.account().client.id).toBe(CLIENT.id);
    const stranger = { ...accountAt(made), clientId: "another" };
    const failed = await faultOf(all(connected(made, stranger).provider.received(newDay())));
    expect(failed).toEqual({ kind: "misconfigured", code: "invalid_client" });
  });
});
