import { lookup } from "node:dns";
import { beforeEach, describe, expect, test } from "vitest";
import { AsaasAccountStatement } from "../../src/providers/asaas/account-statement.ts";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { lineKindOf } from "../../src/providers/asaas/line-kinds.ts";
import { all, faultOf } from "../api-pix/connected.ts";
import { forFile } from "../support/for-file.ts";
import { dayOf } from "../support/provider/dates.ts";
import { calledAsaas, LIVE_KEY } from "../support-checks/asaas-called.ts";
import { sumOf } from "./account-statement-port.ts";

const { asaas } = await forFile(calledAsaas({ key: LIVE_KEY }));
const client = await forFile(
  Promise.resolve(
    new AsaasClient(
      { id: "pac_1", apiKey: LIVE_KEY, page: "invoice", baseUrl: asaas.baseUrl },
      {
        clock: { nowMs: () => asaas.clock.nowMs() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
      },
    ),
  ),
);
const setAside: number[] = [];
const of = (kind: "pix" | "card") => new AsaasAccountStatement(client, kind, (count) => setAside.push(count));
const statement = of("pix");
const today = (): string => dayOf(asaas.clock.now());

// As the provider's documents have it.
const FT1 = {
  id: "ft1",
  type: "PAYMENT_FEE",
  value: -1.99,
  balance: 98.01,
  date: "2026-11-03",
  paymentId: "pay_1_x",
};
const page = (...data: readonly object[]): string =>
  JSON.stringify({ object: "list", hasMore: false, totalCount: data.length, limit: 100, offset: 0, data });
const answersOnce = (text: string, status = 200): void =>
  asaas.fail("statement", { kind: "text", status, text });
/** Pays so many centavos out, in lines of one. */
const payOut = (count: number): void => {
  for (let index = 0; index < count; index++) asaas.payOut(1n);
};

/** Each test has days of its own. */
beforeEach(() => {
  asaas.faults.clear();
  setAside.length = 0;
  asaas.clock.advance(100 * 86_400);
});

describe("a line of Asaas", () => {
  test("has its type, its centavos with their sign, and the balance after it", async () => {
    answersOnce(page(FT1));
    const [line] = await all(statement.lines("2026-11-03"));
    expect(line).toEqual({
      id: "ft1",
      kind: "fee",
      amountMinor: -199n,
      currency: "BRL",
      day: "2026-11-03",
      at: null,
      reference: null,
      endToEndId: null,
      providerPaymentId: "pay_1_x",
      installment: null,
      settlementId: null,
      text: "PAYMENT_FEE",
      balanceMinor: 9801n,
      raw: JSON.stringify(FT1),
    });
  });

  test.each([
    ["PAYMENT_RECEIVED", "received"],
    ["PAYMENT_FEE", "fee"],
    ["PAYMENT_FEE_REVERSAL", "fee"],
    ["PAYMENT_REVERSAL", "refund"],
    ["PIX_TRANSACTION_CREDIT", "received"],
    ["PIX_TRANSACTION_CREDIT_FEE", "fee"],
    ["PIX_TRANSACTION_CREDIT_REFUND", "return"],
    ["TRANSFER", "transfer"],
    ["TRANSFER_FEE", "fee"],
    ["CHARGEBACK", "chargeback"],
    ["CHARGEBACK_REVERSAL", "chargeback"],
    ["RECEIVABLE_ANTICIPATION_GROSS_CREDIT", "anticipation"],
    ["RECEIVABLE_ANTICIPATION_FEE", "anticipation"],
    ["BACEN_JUDICIAL_LOCK", "blocked"],
    ["SOMETHING_FEE_OF_TOMORROW", "fee"],
    ["SOMETHING_OF_TOMORROW", "other"],
    ["constructor", "other"],
  ])("of the type %s is of the kind %s", (type, kind) => {
    expect(lineKindOf(type)).toBe(kind);
  });

  test("of money received is an installment for an account of cards", async () => {
    answersOnce(page({ ...FT1, type: "PAYMENT_RECEIVED", value: 100 }));
    const [line] = await all(of("card").lines("2026-11-03"));
    expect(line).toMatchObject({ kind: "installment", amountMinor: 10_000n });
  });

  test("says no text that may name a payer", async () => {
    answersOnce(page({ ...FT1, description: "Cobrança recebida - fatura nr. 1 Ana Souza" }));
    const [line] = await all(statement.lines("2026-11-03"));
    expect(JSON.stringify({ ...line, raw: "", amountMinor: 0, balanceMinor: 0 })).not.toContain("Ana");
  });

  test("that cannot be read is counted, and the others are read", async () => {
    answersOnce(
      page({ ...FT1, value: "1.99" }, { ...FT1, id: "ft2" }, { ...FT1, id: "ft3", date: "2026-11-04" }),
    );
    expect((await all(statement.lines("2026-11-03"))).map(({ id }) => id)).toEqual(["ft2"]);
    expect(setAside).toEqual([2]);
  });
});

describe("a day at Asaas", () => {
  test("is read to its last page, and its lines lead from the opening to the closing balance", async () => {
    asaas.payOut(-1_000_000n);
    asaas.clock.advance(86_400);
    payOut(250);
    const day = today();
    asaas.clock.advance(86_400);
    payOut(1);
    const lines = await all(statement.lines(day));
    expect(lines).toHaveLength(250);
    const { openingMinor, closingMinor } = await statement.balance(day);
    expect((openingMinor ?? 0n) + sumOf(lines)).toBe(closingMinor);
    expect(lines.at(-1)?.balanceMinor).toBe(closingMinor);
    expect((await statement.balance(today())).openingMinor).toBe(closingMinor);
  });

  test("that is not over closes with the balance of the present", async () => {
    payOut(1);
    asaas.fail("balance", { kind: "text", status: 200, text: '{"balance":-12.3}' });
    expect(await statement.balance(today())).toMatchObject({ closingMinor: -1230n });
  });

  test("is begun anew when its pages shift, and has each line once", async () => {
    payOut(150);
    asaas.fail("statement", { kind: "after", act: () => payOut(1) });
    const lines = await all(statement.lines(today()));
    expect([lines.length, new Set(lines.map(({ id }) => id)).size]).toEqual([151, 151]);
  });

  test.each([
    ["an id comes twice", page(FT1, FT1)],
    ["a page is shorter than its total", page(FT1).replace('"totalCount":1', '"totalCount":2')],
  ])("is begun anew when %s", async (_, text) => {
    answersOnce(text);
    answersOnce(page(FT1, { ...FT1, id: "ft2" }));
    expect(await all(statement.lines("2026-11-03"))).toHaveLength(2);
  });

  test("whose pages never stand still is a fault after three readings", async () => {
    payOut(150);
    asaas.fail("statement", { kind: "after", act: () => payOut(1) }, 10);
    const before = asaas.requests.length;
    expect(await faultOf(all(statement.lines(today())))).toEqual({ kind: "unknown", code: "shifting_pages" });
    expect(asaas.requests.length - before).toBe(6);
  });

  test.each([
    ["404", '{"message":"no Route matched"}', 404],
    ["204", "", 204],
  ])("that is answered with %s is a fault", async (_, text, status) => {
    answersOnce(text, status);
    expect(await faultOf(all(statement.lines(today())))).toMatchObject({ kind: "unknown" });
  });
});
