import { describe, expect, test } from "vitest";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import {
  PaymentSchema,
  PaymentState,
  PaymentStatus,
  type Payment,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { times } from "../support/scale.ts";
import { startService } from "../support/service.ts";

const PERIOD = { from: "2026-03-01", to: "2026-03-03" };
const COUNT = times(3000, 600);
const toJson = messageWriter(PaymentSchema);

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const [merchant, other] = [await createMerchant(service), await createMerchant(service)];
// A day wider on either side than the period that is searched.
const [from, until] = [new Date("2026-02-28T03:00:00Z"), new Date("2026-03-05T03:00:00Z")];
const payments = randomPayments(COUNT, from, until);
await insertPayments(rows, merchant.tenant.id, payments);

type Filter = Parameters<Merchant["ledger"]["searchPayments"]>[0]["filter"];

async function all(filter: Filter, limit = 100): Promise<Payment[]> {
  const found: Payment[] = [];
  for (let startingAfter: string | undefined; ;) {
    const cursor = startingAfter === undefined ? {} : { startingAfter };
    const page = await merchant.ledger.searchPayments({ filter, limit, ...cursor }, merchant.as);
    found.push(...page.payments);
    expect(page.hasMore).toBe(page.nextCursor !== undefined);
    if (page.nextCursor === undefined) return found;
    startingAfter = page.nextCursor;
  }
}

/** Sums as they must be, from the payments themselves. */
function summed(found: readonly Payment[]) {
  const groups = Map.groupBy(found, (payment) =>
    [
      payment.grossCurrency,
      payment.netCurrency,
      payment.feeCurrency,
      payment.paymentMethod,
      payment.status,
    ].join(" "),
  );
  const sum = (group: readonly Payment[], of: (payment: Payment) => bigint): bigint =>
    group.reduce((total, payment) => total + of(payment), 0n);
  return [...groups]
    .map(([key, group]) => [
      key,
      BigInt(group.length),
      sum(group, ({ grossAmount }) => grossAmount),
      sum(group, ({ feeAmount }) => feeAmount),
      sum(group, ({ netAmount }) => netAmount),
    ])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

const FILTERS: [string, Filter][] = [
  ["a period", PERIOD],
  ["a status", { ...PERIOD, status: PaymentStatus.SUCCEEDED }],
  ["a method", { ...PERIOD, paymentMethod: PaymentMethod.CARD }],
  ["a net in USD", { ...PERIOD, netCurrency: "USD" }],
  ["a gross in USD: there is none", { ...PERIOD, grossCurrency: "USD" }],
  ["a state", { ...PERIOD, state: PaymentState.SUCCEEDED }],
  ["an amount that is typed", { ...PERIOD, query: "x", queryAmount: 100n }],
  ["a part of a reference", { ...PERIOD, query: "SCRIPT" }],
  ["everything at once", { ...PERIOD, status: PaymentStatus.FAILED, netCurrency: "BRL", query: "a" }],
];

describe("payments are found and summed", () => {
  test.each(FILTERS)("by %s: what is summed is what is listed, in every page size", async (_, filter) => {
    const [found, { sums, totals, paymentCount }] = await Promise.all([
      all(filter),
      merchant.ledger.summarizePayments({ filter }, merchant.as),
    ]);
    const answered = sums
      .map((sum) => [
        [sum.grossCurrency, sum.netCurrency, sum.feeCurrency, sum.paymentMethod, sum.status].join(" "),
        sum.paymentCount,
        sum.grossAmount,
        sum.feeAmount,
        sum.netAmount,
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    expect(answered).toEqual(summed(found));
    expect(paymentCount).toBe(BigInt(found.length));
    for (const { status, netCurrency, feeCurrency, paymentMethod, ...total } of totals) {
      const same = sums.filter(
        (sum) => sum.status === status && sum.netCurrency === netCurrency && sum.feeCurrency === feeCurrency,
      );
      expect(paymentMethod).toBe(PaymentMethod.UNSPECIFIED);
      expect(total.paymentCount).toBe(same.reduce((count, sum) => count + sum.paymentCount, 0n));
      expect(total.netAmount).toBe(same.reduce((amount, sum) => amount + sum.netAmount, 0n));
    }
    expect((await all(filter, 37)).map(({ id }) => id)).toEqual(found.map(({ id }) => id));
  });

  test("by a period: exactly as GET /v1/payments lists it, field by field", async () => {
    const found = await all(PERIOD);
    const listed: object[] = [];
    for (let after = ""; ;) {
      const { body } = await merchant.api.get(
        `/v1/payments?from=${PERIOD.from}&to=${PERIOD.to}&limit=100${after}`,
      );
      listed.push(...body.data);
      if (!body.has_more) break;
      after = `&starting_after=${body.next_cursor}`;
    }
    expect(listed.length).toBeGreaterThan(COUNT / 4);
    expect(found.map((payment) => JSON.parse(toJson(payment)) as object)).toEqual(listed);
  });

  test("by what people type: reference and metadata as they are, in any case, never as a pattern", async () => {
    const inPeriod = payments.filter(({ createdAt }) => {
      const day = new Date(createdAt.getTime() - 3 * 3_600_000).toISOString().slice(0, 10);
      return day >= PERIOD.from && day <= PERIOD.to;
    });
    for (const query of ["<script>", "%", "_", "=1+1", 'say "hi"']) {
      const holds = (text: unknown): boolean =>
        typeof text === "string" && text.toLowerCase().includes(query.toLowerCase());
      const found = new Set((await all({ ...PERIOD, query })).map(({ id }) => id));
      for (const { id, reference, metadata } of inPeriod) {
        if (holds(reference) || Object.values(metadata).some(holds)) expect(found).toContain(id);
      }
      // Whatever else is found holds it in a list of its metadata.
      for (const { id, reference, metadata } of inPeriod.filter((one) => found.has(one.id))) {
        const texts = Object.values(metadata).map((item) =>
          typeof item === "string" ? item : JSON.stringify(item),
        );
        expect({ id, isHeld: [reference, ...texts].some(holds) }).toEqual({ id, isHeld: true });
      }
    }
  });

  test("by an id: of the payment without a period, of its link within one", async () => {
    const { id = "", linkId = "" } = payments.find((payment) => payment.linkId !== null) ?? {};
    expect((await all({ query: id })).map((payment) => payment.id)).toEqual([id]);
    const wide = { from: "2026-01-01", to: "2026-12-31" };
    expect((await all({ ...wide, query: linkId ?? "" })).map((payment) => payment.id)).toEqual([id]);
    expect((await all({ ...wide, linkId: linkId ?? "" })).map((payment) => payment.id)).toEqual([id]);
  });

  test("by day: the days of São Paulo, and together the period", async () => {
    const { sums } = await merchant.ledger.summarizePayments({ filter: PERIOD, byDay: true }, merchant.as);
    for (const day of ["2026-03-01", "2026-03-02", "2026-03-03"]) {
      const count = sums
        .filter((sum) => sum.day === day)
        .reduce((total, sum) => total + sum.paymentCount, 0n);
      expect(count).toBe(BigInt((await all({ from: day, to: day })).length));
    }
    expect(new Set(sums.map(({ day }) => day)).size).toBe(3);
  });

  test("sums beyond 2^53 stay exact", async () => {
    const { tenant, as, ledger } = await createMerchant(service);
    const [big] = randomPayments(1, new Date("2026-04-02T12:00:00Z"), new Date("2026-04-02T12:00:01Z"), 1);
    if (!big) throw new Error("no payment");
    const amount = 4_611_686_018_427_387n;
    const price = { ...big.price, payerTotalMinor: amount };
    const copies = ["0", "1", "2"].map((end) => ({ ...big, id: `pay_${end.padStart(26, "0")}`, price }));
    await insertPayments(rows, tenant.id, copies);
    const filter = { from: "2026-04-02", to: "2026-04-02" };
    const { sums } = await ledger.summarizePayments({ filter }, as);
    expect(sums.map(({ grossAmount }) => grossAmount)).toEqual([amount * 3n]);
    expect(amount * 3n).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });
});

describe("a search does not find", () => {
  test("another tenant's payments, nor those of the other mode", async () => {
    const [{ id } = { id: "" }] = payments;
    const live = { headers: { ...merchant.as.headers, "paylink-mode": "live" } };
    for (const as of [other.as, live]) {
      for (const filter of [PERIOD, { query: id }]) {
        expect(await merchant.ledger.searchPayments({ filter }, as)).toMatchObject({ payments: [] });
        expect((await merchant.ledger.summarizePayments({ filter }, as)).sums).toEqual([]);
      }
      const cursor = { filter: PERIOD, startingAfter: id };
      expect(await refusalOf(merchant.ledger.searchPayments(cursor, as))).toMatchObject({
        code: "invalid_request",
        param: "starting_after",
      });
      expect(await refusalOf(merchant.ledger.getPaymentBridge({ paymentId: id }, as))).toMatchObject({
        code: "payment_not_found",
      });
    }
  });

  test.each([
    ["no period", { query: "order" }, "from"],
    ["half a period", { from: "2026-03-01" }, "to"],
    ["an end before the beginning", { from: "2026-03-02", to: "2026-03-01" }, "from"],
    ["an impossible day", { from: "2026-02-30", to: "2026-03-01" }, "from"],
  ])("anything with %s", async (_, filter, param) => {
    const refusal = await refusalOf(merchant.ledger.searchPayments({ filter }, merchant.as));
    expect(refusal).toMatchObject({ code: "invalid_request", param });
  });
});

test("a payment's bridge comes with the payment, with the time of its settlement", async () => {
  const paid = await merchant.pay({ amount: 100_000 }, { payment_method: "card" });
  const bridge = await merchant.ledger.getPaymentBridge({ paymentId: paid.body.id }, merchant.as);
  expect(JSON.parse(toJson(bridge.payment as Payment))).toEqual(paid.body);
  const { succeededOn = "", settlesOn = "", settledAt } = bridge;
  expect(settlesOn > succeededOn).toBe(true);
  expect(settledAt).toBeUndefined();
  const [gross, ...rest] = bridge.lines.map(({ valueBrl }) => BigInt(valueBrl.replace(".", "")));
  expect(gross).toBe(rest.reduce((sum, value) => sum + value, 0n));
  expect(bridge.lines[0]?.valueBrl).toMatch(/^1000\.00000000$/);
});
