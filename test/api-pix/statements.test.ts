import { afterEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { accountAt, all, CLIENT, connected, faultOf, movedProfile, NOW } from "./connected.ts";
import { DAY_MS, StatementDays } from "./statement-days.ts";

const days = await forFile(StatementDays.start());
const { made, bank } = days;

const idsOf = async (money: AsyncIterable<{ providerPaymentId: string }>): Promise<string[]> =>
  (await all(money)).map(({ providerPaymentId }) => providerPaymentId);

describe("a statement", () => {
  test("of several pages is whole, and oldest first in each", async () => {
    const { from, to } = days.newDay();
    const paid = Array.from({ length: 7 }, (_, index) => days.pay(from, index));
    const ids = await idsOf(days.adapter({ pageSize: 3 }).received({ from, to }));
    expect(ids).toEqual([...paid.slice(4), ...paid.slice(1, 4), ...paid.slice(0, 1)]);
    const pages = bank.requests.filter(({ query }) => query["inicio"] === from.toISOString());
    expect(pages.map(({ query }) => query["paginacao.paginaAtual"])).toEqual(["0", "1", "2"]);
  });

  test("of nothing is empty", async () => {
    expect(await all(days.adapter().received(days.newDay()))).toEqual([]);
  });

  test("of several windows has the money of both ends once", async () => {
    const { from } = days.newDay();
    const to = new Date(from.getTime() + 3 * DAY_MS);
    const paid = [0, 86_399, 86_400, 2 * 86_400, 3 * 86_400].map((seconds) => days.pay(from, seconds));
    days.pay(from, 3 * 86_400 + 1);
    expect(await idsOf(days.adapter().received({ from, to }))).toEqual(paid);
  });

  test("is asked for in whole seconds of a bank that has no others, and misses nothing", async () => {
    const { from } = days.newDay();
    const to = new Date(from.getTime() + 2 * DAY_MS);
    const account = { ...accountAt(made), profile: movedProfile("santander") };
    const at = new Date(from.getTime() + DAY_MS - 300);
    const { endToEndId } = bank.payKey(5n, { at });
    const paid = [endToEndId, days.pay(from, 86_400)];
    const ids = await idsOf(connected(made, account).provider.received({ from, to }));
    expect(ids).toEqual(paid);
    const { query } = bank.requests.findLast(({ call }) => call === "statement") ?? { query: {} };
    expect(Object.values<string>(query).filter((text) => text.includes("."))).toEqual([]);
  });

  test("case 15: whose pages shift is read again, and has the new money too", async () => {
    const { from, to } = days.newDay();
    const paid = Array.from({ length: 5 }, (_, index) => days.pay(from, index));
    bank.fail("statement", { kind: "drift", amountMinor: 77n });
    const ids = await idsOf(days.adapter({ pageSize: 2 }).received({ from, to }));
    expect(ids).toHaveLength(6);
    expect(ids).toEqual(expect.arrayContaining(paid));
  });

  test("case 15: whose pages never stand still is a fault, not a part of the money", async () => {
    const { from, to } = days.newDay();
    for (let index = 0; index < 5; index++) days.pay(from, index);
    bank.fail("statement", { kind: "drift", amountMinor: 77n }, 100);
    const failed = await faultOf(all(days.adapter({ pageSize: 2 }).received({ from, to })));
    bank.faults.clear();
    expect(failed).toEqual({ kind: "unknown", code: "shifting_pages" });
  });

  test("names the reference that came with the money, or none", async () => {
    const { from, to } = days.newDay();
    bank.payKey(1n, { at: from, txid: "somebodyelses00000000000000" });
    bank.payKey(2n, { at: to });
    const references = (await all(days.adapter().received({ from, to }))).map(({ reference }) => reference);
    expect(references).toEqual(["somebodyelses00000000000000", null]);
  });

  test("leaves out what came to another key of the bank's account", async () => {
    const { from, to } = days.newDay();
    bank.payKey(1n, { at: from, key: "loja@example.com" });
    const own = days.pay(from, 1);
    expect(await idsOf(days.adapter().received({ from, to }))).toEqual([own]);
    const account = { ...accountAt(made), pixKey: "LOJA@example.com" };
    expect(await all(connected(made, account).provider.received({ from, to }))).toHaveLength(1);
  });

  test("of returns has only money of which something went back", async () => {
    const { from, to } = days.newDay();
    days.pay(from, 1);
    const returned = days.pay(from, 100);
    bank.returnByBank(returned, 40n, "MED_OPERACIONAL");
    const money = await all(days.adapter().returned({ from, to }));
    expect(money.map(({ providerPaymentId }) => providerPaymentId)).toEqual([returned]);
    expect(money[0]?.returns[0]).toMatchObject({ amountMinor: 40n, reason: "MED_OPERACIONAL" });
  });

  test("of returns has what Banco do Brasil lists by the time of the return, too", async () => {
    const { from } = days.newDay();
    const returned = days.pay(from, 1);
    bank.clock.set(new Date(from.getTime() + 91 * DAY_MS));
    bank.returnByBank(returned, 1n, "MED_FRAUDE", { status: "DEVOLUCAO_MED" });
    const period = { from: bank.clock.now(), to: new Date(bank.clock.nowMs() + DAY_MS - 1) };
    bank.clock.set(NOW);
    const account = { ...accountAt(made), profile: movedProfile("bb") };
    const read = async (at: typeof period) => await idsOf(connected(made, account).provider.returned(at));
    expect(await read(period)).toEqual([returned]);
    expect(await read(days.newDay())).toEqual([]);
    expect(await idsOf(days.adapter().returned(period))).toEqual([]);
  });

  test.each([
    { kind: "status", status: 403 },
    { kind: "status", status: 500 },
    { kind: "text", status: 404, text: "" },
  ] as const)("of returns is the standard's where Banco do Brasil's own list fails by %o", async (fault) => {
    const { from, to } = days.newDay();
    const returned = days.pay(from, 1);
    bank.returnByBank(returned, 1n);
    const account = { ...accountAt(made), profile: movedProfile("bb") };
    bank.fail("returnList", fault);
    const { provider, setAside } = connected(made, account);
    expect(await idsOf(provider.returned({ from, to }))).toEqual([returned]);
    expect(setAside).toEqual([1]);
  });

  test.each([
    { kind: "empty", status: 200 },
    { kind: "empty", status: 204 },
    { kind: "text", status: 404, text: '{"type":"https://pix.bcb.gov.br/api/v2/error/PixNaoEncontrado"}' },
    { kind: "text", status: 404, text: '{"erros":[{"codigo":"4769515"}]}' },
  ] as const)("inputs 11 and 12: is empty after %o", async (fault) => {
    bank.fail("statement", fault);
    expect(await all(days.adapter().received(days.newDay()))).toEqual([]);
  });

  test.each([
    { kind: "html", status: 200 },
    { kind: "html", status: 404 },
    { kind: "text", status: 404, text: '{"message":"no Route matched"}' },
    { kind: "text", status: 404, text: '{"status":404,"error":"Not Found","path":"/pix"}' },
    { kind: "text", status: 404, text: "" },
    { kind: "status", status: 503 },
  ] as const)("inputs 11 and 12: is not taken as empty after %o", async (fault) => {
    const { from, to } = days.newDay();
    bank.fail("statement", fault);
    expect((await faultOf(all(days.adapter().received({ from, to })))).kind).toBe("unknown");
  });

  test("of another client is never seen", async () => {
    expect(bank.account().client.id).toBe(CLIENT.id);
    const stranger = { ...accountAt(made), clientId: "another" };
    const failed = await faultOf(all(connected(made, stranger).provider.received(days.newDay())));
    expect(failed).toEqual({ kind: "misconfigured", code: "invalid_client" });
  });
});

describe("a statement whose pages are not counted as the standard does", () => {
  const rowAt = (at: Date, endToEndId = bank.payKey(1n, { at }).endToEndId) => ({
    endToEndId,
    valor: "5.00",
    horario: at.toISOString(),
  });
  /** Returns the ids of a statement whose pages are always these. */
  const idsIn = async (pages: readonly (readonly object[])[], paginacao?: object) => {
    bank.faults.draw = (_call, query) => {
      const pix = pages[Number(query.get("paginacao.paginaAtual"))] ?? [];
      const text = JSON.stringify({ ...(paginacao && { parametros: { paginacao } }), pix });
      return query.has("inicio") ? { kind: "text", status: 200, text } : undefined;
    };
    return await idsOf(days.adapter({ pageSize: 2 }).received(days.newDay()));
  };
  afterEach(() => {
    bank.faults.draw = () => undefined;
  });
  const [one, two, three] = [rowAt(NOW), rowAt(NOW), rowAt(NOW)];
  const ids = [one, two, three].map(({ endToEndId }) => endToEndId);

  test("input 13: that has an id twice on its one page is read, and is one money", async () => {
    const paginacao = { quantidadeDePaginas: 1, quantidadeTotalDeItens: 2 };
    expect(await idsIn([[one, one]], paginacao)).toEqual(ids.slice(0, 1));
  });

  test("that has an id on two pages is read when two readings agree", async () => {
    const paginacao = { quantidadeDePaginas: 2, quantidadeTotalDeItens: 4 };
    const pages = [
      [one, two],
      [two, three],
    ];
    expect(await idsIn(pages, paginacao)).toEqual(ids);
  });

  test("input 14: that has a number of pages and no total is three amounts", async () => {
    expect(await idsIn([[one, two], [three]], { quantidadeDePaginas: 2 })).toEqual(ids);
  });

  test("that has a total and no number of pages is three amounts", async () => {
    expect(await idsIn([[one, two], [three]], { quantidadeTotalDeItens: 3 })).toEqual(ids);
  });

  test("that has neither goes on as long as its pages are full and new", async () => {
    expect(await idsIn([[one, two], [three]])).toEqual(ids);
    expect(await idsIn([[one], [two]])).toEqual(ids.slice(0, 1));
    const full = [one, two];
    expect(await idsIn([full, full, full, full])).toEqual(ids.slice(0, 2));
  });

  test("that leaves out rows which its total counts is a fault", async () => {
    const paginacao = { quantidadeDePaginas: 1, quantidadeTotalDeItens: 2 };
    expect(await faultOf(idsIn([[one]], paginacao))).toEqual({ kind: "unknown", code: "shifting_pages" });
  });
});

test("a statement that is too large is read in halves, and has all of its money", async () => {
  const { from, to } = days.newDay();
  const paid = [0, 43_199, 43_200, 86_399].map((seconds) => days.pay(from, seconds));
  bank.fail("statement", { kind: "endless", rows: 1, pages: 201 }, 2);
  expect((await idsOf(days.adapter().received({ from, to }))).toSorted()).toEqual(paid.toSorted());
});

test("an id longer than ids are is no id", async () => {
  const { from, to } = days.newDay();
  bank.payKey(1n, { at: from, txid: "x".repeat(101) });
  expect((await all(days.adapter().received({ from, to })))[0]?.reference).toBeNull();
});
