import { describe, expect, test, vi } from "vitest";
import { forFile } from "../support/for-file.ts";
import { accountAt, all, connected, faultOf, NOW } from "./connected.ts";
import { StatementDays } from "./statement-days.ts";

const days = await forFile(StatementDays.start());
const { made, bank } = days;

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
    const failed = await faultOf(all(days.adapter().received(days.newDay())));
    bank.faults.clear();
    expect(failed).toEqual({ kind: "unknown", code: "statement_too_large" });
    expect(asked() - before).toBeLessThan(15);
  });

  test("has at most 50,000 rows of a window read", async () => {
    const { from } = days.newDay();
    const window = { from, to: new Date(from.getTime() + 30_000) };
    endless(1000, 50, 50);
    expect(await all(days.adapter().received(window))).toHaveLength(50_000);
    const before = asked();
    endless(1000, 51, 51);
    expect(await faultOf(all(days.adapter().received(window)))).toMatchObject({
      code: "statement_too_large",
    });
    bank.faults.clear();
    expect(asked() - before).toBe(1);
  });

  test("is read no further when its caller has gone", async () => {
    endless(100, 100);
    const gone = new AbortController();
    const read = async () => {
      for await (const _ of days.adapter().received(days.newDay(), gone.signal)) gone.abort();
    };
    const before = asked();
    expect((await faultOf(read())).kind).toBe("unknown");
    bank.faults.clear();
    expect(asked() - before).toBe(1);
  });

  test("in a hanging request too", async () => {
    bank.fail("statement", { kind: "hang" });
    const gone = new AbortController();
    const failed = faultOf(all(days.adapter().returned(days.newDay(), gone.signal)));
    const before = asked();
    await vi.waitFor(() => expect(asked()).toBe(before + 1), { timeout: 4000 });
    gone.abort();
    expect((await failed).kind).toBe("unknown");
  });
});

describe("rows that cannot be read", () => {
  const rowAt = (at: Date, given: object = {}) => ({
    endToEndId: bank.payKey(1n, { at }).endToEndId,
    valor: "5.00",
    horario: at.toISOString(),
    ...given,
  });
  const answer = (pix: readonly unknown[]) => {
    const paginacao = { quantidadeDePaginas: 1, quantidadeTotalDeItens: pix.length };
    bank.fail("statement", {
      kind: "text",
      status: 200,
      text: JSON.stringify({ parametros: { paginacao }, pix }),
    });
  };
  const back = { id: "D1", valor: "1.00", horario: { solicitacao: NOW.toISOString() }, status: "DEVOLVIDO" };
  const read = async (pix: readonly unknown[], { from, to }: { from: Date; to: Date }) => {
    const { provider, setAside } = connected(made, accountAt(made));
    answer(pix);
    return { money: await all(provider.received({ from, to })), setAside };
  };

  test.each<[string, object | null]>([
    ["of no money", { valor: "0.00" }],
    ["of a value that is no amount", { valor: { toString: 1 } }],
    ["with NUL in its id", { endToEndId: "E\0" }],
    ["with half a character in its id", { endToEndId: "E\ud800" }],
    ["without an id", { endToEndId: null }],
    ["of a time that is none", { horario: "yesterday" }],
    ["of a time before all times", { horario: "0000-01-01T00:00:00Z" }],
    ["of returns that are no list", { devolucoes: "none" }],
    ["that is no object", null],
  ])("one %s is set aside, and the others count", async (_, wrong) => {
    const period = days.newDay();
    const [first, last] = [rowAt(period.from), rowAt(period.to)];
    const middle = wrong === null ? null : rowAt(period.from, wrong);
    const { money, setAside } = await read([first, middle, last], period);
    expect(money.map((one) => one.providerPaymentId)).toEqual([first.endToEndId, last.endToEndId]);
    expect(setAside).toEqual([1]);
  });

  test("a return of no money is set aside, and its money and the other return count", async () => {
    const period = days.newDay();
    const devolucoes = [
      { ...back, id: "D0", valor: "0.00" },
      { ...back, motivo: "a\0b\ud800" },
    ];
    const { money, setAside } = await read([rowAt(period.from, { devolucoes })], period);
    expect(money.flatMap(({ returns }) => returns)).toMatchObject([{ id: "D1", reason: "ab\ufffd" }]);
    expect(setAside).toEqual([1]);
  });

  test("a reference that the database cannot store is left out", async () => {
    const period = days.newDay();
    const { money, setAside } = await read([rowAt(period.from, { txid: "a\0" })], period);
    expect([money[0]?.reference, setAside]).toEqual([null, []]);
  });

  test("an answer of more than 100 such rows is not read", async () => {
    const period = days.newDay();
    const rows = Array.from({ length: 101 }, () => ({ valor: "1.00" }));
    expect((await read(rows.slice(1), period)).setAside).toEqual([100]);
    expect(await faultOf(read(rows, period))).toEqual({ kind: "unknown", code: "unreadable" });
  });
});
