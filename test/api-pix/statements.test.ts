import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
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
  test("of several pages is whole, and oldest first in each", async () => {
    const { from, to } = newDay();
    const paid = Array.from({ length: 7 }, (_, index) => pay(from, index));
    const ids = await idsOf(adapter({ pageSize: 3 }).received({ from, to }));
    expect(ids).toEqual([...paid.slice(4), ...paid.slice(1, 4), ...paid.slice(0, 1)]);
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

describe("a bank whose statements have no end", () => {
  const asked = () => bank.requests.filter(({ call }) => call === "statement").length;
  const endless = (rows: number, pages: number, times = 10_000) =>
    bank.fail("statement", { kind: "endless", rows, pages }, times);

  test.each([
    { what: "that tells a million pages", rows: 10, pages: 1_000_000 },
    { what: "that tells more rows than were asked for", rows: 1001, pages: 2 },
  ])("$what is a fault after a few requests", async ({ rows, pages }) => {
    const before = asked();
    endless(rows, pages);
    const failed = await faultOf(all(adapter().received(newDay())));
    bank.faults.clear();
    expect(failed).toEqual({ kind: "unknown", code: "statement_too_large" });
    expect(asked() - before).toBeLessThan(15);
  });

  test("has at most 50,000 rows of a window read", async () => {
    const { from } = newDay();
    const window = { from, to: new Date(from.getTime() + 30_000) };
    endless(1000, 50, 50);
    expect(await all(adapter().received(window))).toHaveLength(50_000);
    const before = asked();
    endless(1000, 51, 51);
    expect(await faultOf(all(adapter().received(window)))).toMatchObject({ code: "statement_too_large" });
    bank.faults.clear();
    expect(asked() - before).toBe(1);
  });

  test("is read no further when its caller has gone", async () => {
    endless(100, 100);
    const gone = new AbortController();
    const read = async () => {
      for await (const _ of adapter().received(newDay(), gone.signal)) gone.abort();
    };
    const before = asked();
    expect((await faultOf(read())).kind).toBe("unknown");
    bank.faults.clear();
    expect(asked() - before).toBe(1);
  });

  test("in a hanging request too", async () => {
    bank.fail("statement", { kind: "hang" });
    const gone = new AbortController();
    const failed = faultOf(all(adapter().returned(newDay(), gone.signal)));
    const before = asked();
    await vi.waitFor(() => expect(asked()).toBe(before + 1), { timeout: 4000 });
    gone.abort();
    expect((await failed).kind).toBe("unknown");
  });

  test("answers with at most 4 MiB", async () => {
    endless(50_000, 1);
    expect(await faultOf(all(adapter().received(newDay())))).toEqual({
      kind: "unknown",
      code: "UND_ERR_RES_EXCEEDED_MAX_SIZE",
    });
    bank.faults.clear();
  });
});

test("a statement that is too large is read in halves, and has all of its money", async () => {
  const { from, to } = newDay();
  const paid = [0, 43_199, 43_200, 86_399].map((seconds) => pay(from, seconds));
  bank.fail("statement", { kind: "endless", rows: 1, pages: 201 }, 2);
  expect((await idsOf(adapter().received({ from, to }))).toSorted()).toEqual(paid.toSorted());
});

test("an id longer than the API's own is no id", async () => {
  const { from, to } = newDay();
  bank.payKey(1n, { at: from, txid: "x".repeat(65) });
  expect((await all(adapter().received({ from, to })))[0]?.reference).toBeNull();
});
