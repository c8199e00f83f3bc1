import { beforeEach, describe, expect, test } from "vitest";
import { linesOfPayable, linesOfSettlement } from "../../src/providers/pagarme/account-lines.ts";
import { PagarmeAccountStatement } from "../../src/providers/pagarme/account-statement.ts";
import { all, faultOf } from "../api-pix/connected.ts";
import type { CallName } from "../support/pagarme/routes.ts";
import { dayOf } from "../support/provider/dates.ts";
import { startedPagarme } from "./play-pagarme.ts";

const { pagarme, client } = await startedPagarme();
const setAside: number[] = [];
const statement = new PagarmeAccountStatement(client, (count) => setAside.push(count));
const DAY = "2026-11-03";

// As the provider's documents have it.
const PA_X = {
  id: "pa_x",
  charge_id: "ch_x",
  type: "chargeback",
  status: "paid",
  amount: -1000,
  fee: 0,
  installment: 2,
  payment_date: DAY,
  settlement_id: "st_x",
};
const CREDIT = { ...PA_X, id: "pa_y", type: "credit", amount: 3335, fee: 133, fraud_coverage_fee: 7 };
const ST_X = {
  id: "st_x",
  amount: 3195,
  product: "credit",
  status: "success",
  payment_date: `${DAY}T00:00:00Z`,
};
const shortly = (lines: ReturnType<typeof linesOfPayable>) =>
  lines.map(({ kind, amountMinor }) => [kind, amountMinor]);
const payables = (rows: readonly object[], cursor: string | null = null): string =>
  JSON.stringify({ data: rows, paging: { forward_cursor: cursor } });
const answersOnce = (call: CallName, text: string, status = 200): void =>
  pagarme.fail(call, { kind: "text", status, text });
const idsOf = async () => (await all(statement.lines(DAY))).map(({ id }) => id);

beforeEach(() => {
  pagarme.faults.clear();
  setAside.length = 0;
});

describe("a payable of Pagar.me", () => {
  test("is a line with its charge, its installment and its payout", () => {
    expect(linesOfPayable(PA_X, DAY)).toEqual([
      {
        id: "pa_x",
        kind: "chargeback",
        amountMinor: -1000n,
        currency: "BRL",
        day: DAY,
        at: null,
        reference: null,
        endToEndId: null,
        providerPaymentId: "ch_x",
        installment: 2,
        settlementId: "st_x",
        text: "chargeback paid",
        balanceMinor: null,
        raw: JSON.stringify(PA_X),
      },
    ]);
  });

  test("has its fee and what an anticipation cost as lines of the same id", () => {
    const lines = linesOfPayable({ ...CREDIT, anticipation_fee: 95 }, DAY);
    expect(shortly(lines)).toEqual([
      ["installment", 3335n],
      ["fee", -140n],
      ["anticipation", -95n],
    ]);
    expect(new Set(lines.map(({ id }) => id))).toEqual(new Set(["pa_y"]));
  });

  test.each([
    ["credit", 1000, "installment", 1000n],
    ["refund", -1000, "refund", -1000n],
    ["refund", 1000, "refund", -1000n],
    ["refund_reversal", 1000, "refund", 1000n],
    ["chargeback_refund", 1000, "chargeback", 1000n],
    ["of_tomorrow", -7, "other", -7n],
    ["constructor", 7, "other", 7n],
  ])("of the type %s and of %s centavos is %s of %s", (type, amount, kind, minor) => {
    expect(shortly(linesOfPayable({ ...PA_X, type, amount }, DAY))).toEqual([[kind, minor]]);
  });

  test("that gives its fee back has a fee above 0", () => {
    expect(shortly(linesOfPayable({ ...PA_X, type: "refund", amount: -3335, fee: -133 }, DAY))).toEqual([
      ["refund", -3335n],
      ["fee", 133n],
    ]);
  });

  test.each([
    ["paid", 1],
    ["prepaid", 1],
    ["waiting_funds", 0],
    ["suspended", 0],
  ])("that is %s has %d lines", (status, count) => {
    expect(linesOfPayable({ ...PA_X, status }, DAY)).toHaveLength(count);
  });

  test("of another day is none of this day", () => {
    expect(linesOfPayable({ ...PA_X, payment_date: "2026-11-04T03:00:00Z" }, DAY)).toEqual([]);
    expect(linesOfPayable({ ...PA_X, payment_date: "2026-11-03T03:00:00Z" }, DAY)).toHaveLength(1);
  });
});

describe("a payout of Pagar.me", () => {
  test("takes its money to the merchant's bank", () => {
    expect(linesOfSettlement(ST_X, DAY)).toMatchObject([
      { id: "st_x", kind: "transfer", amountMinor: -3195n, settlementId: "st_x", day: DAY },
    ]);
  });

  test.each(["pending", "failed"])("that is %s moves nothing", (status) => {
    expect(linesOfSettlement({ ...ST_X, status }, DAY)).toEqual([]);
  });
});

describe("a day at Pagar.me", () => {
  test("has payables of all pages, and payouts, whose list may be rows alone", async () => {
    answersOnce("listPayables", payables([PA_X], "cursor_2"));
    answersOnce("listPayables", payables([CREDIT]));
    answersOnce("listSettlements", JSON.stringify([ST_X]));
    expect(await idsOf()).toEqual(["pa_x", "pa_y", "pa_y", "st_x"]);
  });

  test("counts what cannot be read, and reads the others", async () => {
    const rows = [{ ...PA_X, status: "of_tomorrow" }, CREDIT, { ...PA_X, amount: "7" }];
    answersOnce("listPayables", payables(rows.map((row, index) => ({ ...row, id: `pa_${index}` }))));
    expect(await idsOf()).toEqual(["pa_1", "pa_1"]);
    expect(setAside).toEqual([2]);
  });

  test("is begun anew when an id comes twice, and has each line once", async () => {
    answersOnce("listPayables", payables([PA_X], "2"));
    answersOnce("listPayables", payables([PA_X, CREDIT]));
    answersOnce("listPayables", payables([CREDIT, PA_X]));
    expect(await idsOf()).toEqual(["pa_x", "pa_y", "pa_y"]);
  });

  test.each([
    ["an id that comes twice", payables([PA_X, PA_X])],
    ["a cursor that leads to itself", payables([], "1")],
  ])("whose pages have %s each time is a fault", async (_, text) => {
    for (let count = 0; count < 6; count++) answersOnce("listPayables", text);
    expect(await faultOf(idsOf())).toEqual({ kind: "unknown", code: "shifting_pages" });
  });

  test("with a full page that names no next one is a fault", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ ...PA_X, id: index + 1 }));
    answersOnce("listPayables", JSON.stringify({ data: rows, paging: {} }));
    expect(await faultOf(idsOf())).toEqual({ kind: "unknown", code: "statement_too_large" });
  });

  test.each([
    [404, '{"message":"no Route matched"}'],
    [204, ""],
  ])("that is answered with %d is a fault", async (status, text) => {
    answersOnce("listSettlements", text, status);
    expect(await faultOf(idsOf())).toMatchObject({ kind: "unknown" });
  });

  test("ends with the balance of the present, and one that is over has none", async () => {
    answersOnce("readBalance", '{"currency":"BRL","available_amount":4711}');
    const today = dayOf(pagarme.clock.now());
    expect(await statement.balance(today)).toEqual({ openingMinor: null, closingMinor: 4711n });
    expect(await statement.balance("2026-01-02")).toEqual({ openingMinor: null, closingMinor: null });
  });

  test("has the payout by which its payables left, and the balance is even", async () => {
    pagarme.account().payables.length = 0;
    const today = dayOf(pagarme.clock.now());
    pagarme.settle("failed");
    const { id } = pagarme.settle();
    const lines = await all(statement.lines(today));
    expect(lines).toMatchObject([{ id, kind: "transfer", amountMinor: 0n }]);
    expect((await statement.balance(today)).closingMinor).toBe(0n);
  });
});
