import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerEntryKind } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../contract/ids.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { balancesOf, checkLedger, entriesOf, kindsOf, written } from "./book-keeper.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** A merchant that takes IOF, paid out in USD. */
async function merchantInUsd(): Promise<Merchant> {
  const merchant = await createMerchant(service, { payoutCurrency: "USD" });
  const policy = { coveragePpm: 15_000n, iofPpm: 35_000n, iofEnabled: true };
  await createClient(PricingService, service.core.transport).putFxPolicy(
    { tenantId: merchant.tenant.id, mode: Mode.TEST, ...policy },
    service.internal,
  );
  return merchant;
}

async function payByCard(merchant: Merchant): Promise<string> {
  const { api } = merchant;
  const wanted = { amount: 100_000, currency: "BRL", payment_method: "card", installments: 12 };
  const { body: quote } = await api.post("/v1/quotes", { ...wanted, fee_handling: "pass_through" });
  const { body: link } = await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
  return (await merchant.simulate(link.id, { payment_method: "card" })).body.id;
}

const inLive = ({ ledger, as }: Merchant): Pick<Merchant, "ledger" | "as"> => ({
  ledger,
  as: { headers: { ...as.headers, "paylink-mode": "live" } },
});

describe("a payment that succeeds", () => {
  test("is booked with its price's values, in BRL by pix and by card in 12", async () => {
    const merchant = await createMerchant(service);
    const [{ body: pix }, card] = [await merchant.pay(), await payByCard(merchant)];
    const entries = [...(await entriesOf(merchant, pix.id)), ...(await entriesOf(merchant, card))];
    expect(entries.map(written)).toEqual([
      ["merchant_payable:BRL Cr 15792", "provider_clearing:BRL Dr 15990", "revenue.service:BRL Cr 198"],
      [
        "merchant_payable:BRL Cr 100000",
        "provider_clearing:BRL Dr 116977",
        "revenue.installment:BRL Cr 12271",
        "revenue.service:BRL Cr 4706",
      ],
    ]);
    expect(entries[0]).toMatchObject({ paymentId: pix.id, kind: LedgerEntryKind.PAYMENT });
    expect(Number(entries[0]?.bookedAt?.seconds)).toBe(pix.updated_at);
  });

  test("is booked with its price's values, paid out in USD with IOF from BRL and from USD", async () => {
    const merchant = await merchantInUsd();
    const { body: brl } = await merchant.pay({ amount: 55_000 });
    const usd = { amount: 10_000, currency: "USD", fee_handling: "pass_through" };
    const { body: inUsd } = await merchant.pay(usd);
    expect((await entriesOf(merchant, brl.id)).map(written)).toEqual([
      [
        "fx_position:BRL Cr 52574",
        "fx_position:USD Dr 9535",
        "merchant_payable:USD Cr 9535",
        "provider_clearing:BRL Dr 55000",
        "revenue.service:BRL Cr 585",
        "tax_payable.iof:BRL Cr 1841",
      ],
    ]);
    expect((await entriesOf(merchant, inUsd.id)).map(written)).toEqual([
      [
        "fx_position:BRL Cr 58395",
        "fx_position:USD Dr 10591",
        "merchant_payable:USD Cr 10000",
        "provider_clearing:BRL Dr 58395",
        "revenue.service:USD Cr 241",
        "tax_payable.iof:USD Cr 350",
      ],
    ]);
  });

  test("once, however often and by however many it is paid at a time", async () => {
    const merchant = await createMerchant(service);
    const link = await merchant.newLink();
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.simulate(link)));
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid).toHaveLength(1);
    expect(await kindsOf(merchant, paid[0]?.body.id)).toEqual(["payment"]);
    expect(await balancesOf(merchant)).toMatchObject({ "provider_clearing:BRL": [15_990n, 0n] });
  });
});

describe("a payment that does not succeed", () => {
  test.each(["failed", "expired"])("%s: nothing is booked, nothing is to be settled", async (outcome) => {
    const merchant = await createMerchant(service);
    const { body: payment } = await merchant.pay({}, { outcome });
    expect(payment.status).toBe(outcome);
    expect(await entriesOf(merchant, payment.id)).toEqual([]);
    expect(await balancesOf(merchant)).toEqual({});
    for (const table of ["ledger_entry", "ledger_line", "settlement"])
      expect(await rows.count(`test.${table} WHERE payment_id = $1`, [payment.id])).toBe(0);
  });
});

describe("the trial balance", () => {
  test("sums each account by currency, then account; debits equal credits in each currency", async () => {
    const merchant = await merchantInUsd();
    for (const link of [
      { amount: 55_000 },
      { amount: 10_000, currency: "USD", fee_handling: "pass_through" },
    ])
      for (let time = 0; time < 2; time++) await merchant.pay(link);
    await merchant.pay({}, { outcome: "failed" });
    const brl = {
      "fx_position:BRL": [0n, 221_938n],
      "provider_clearing:BRL": [226_790n, 0n],
      "revenue.service:BRL": [0n, 1170n],
      "tax_payable.iof:BRL": [0n, 3682n],
    };
    const usd = {
      "fx_position:USD": [40_252n, 0n],
      "merchant_payable:USD": [0n, 39_070n],
      "revenue.service:USD": [0n, 482n],
      "tax_payable.iof:USD": [0n, 700n],
    };
    const all = await balancesOf(merchant);
    expect(Object.entries(all)).toEqual(Object.entries({ ...brl, ...usd }));
    expect([await balancesOf(merchant, "BRL"), await balancesOf(merchant, "USD")]).toEqual([brl, usd]);
    for (const sums of [brl, usd].map((own) => Object.values(own))) {
      const [debits, credits] = [0, 1].map((side) => sums.reduce((sum, of) => sum + (of[side] ?? 0n), 0n));
      expect(debits).toBe(credits);
    }
  });

  test("is of the caller's tenant and mode alone", async () => {
    const [payee, other] = [await createMerchant(service), await createMerchant(service)];
    await payee.pay();
    expect(Object.keys(await balancesOf(payee))).toHaveLength(3);
    expect(await balancesOf(other)).toEqual({});
    expect(await balancesOf(inLive(payee))).toEqual({});
  });

  test("refuses any other currency: invalid_request on currency", async () => {
    const { ledger, as } = await createMerchant(service);
    const refused = { status: "InvalidArgument", code: "invalid_request", param: "currency" };
    expect(await refusalOf(ledger.getTrialBalance({ currency: "EUR" }, as))).toMatchObject(refused);
  });

  test("owes the merchant the sum of the nets of succeeded payments, 120 of every kind at a time", async () => {
    const merchant = await merchantInUsd();
    const paid = Array.from({ length: 120 }, async (_, index) => {
      const currency = index % 2 === 0 ? "BRL" : "USD";
      const outcome = index % 5 === 0 ? "failed" : "succeeded";
      const fee_handling = index % 3 === 0 ? "pass_through" : "absorb";
      const payment_method = index % 4 === 0 ? "card" : "pix";
      const link = { amount: 3000 + 7919 * index, currency, fee_handling };
      return (await merchant.pay(link, { outcome, payment_method })).body;
    });
    const succeeded = (await Promise.all(paid)).filter(({ status }) => status === "succeeded");
    expect(succeeded).toHaveLength(96);
    const sum = (field: "gross_amount" | "net_amount"): bigint =>
      succeeded.reduce((total, payment) => total + BigInt(payment[field]), 0n);
    expect(await balancesOf(merchant)).toMatchObject({
      "merchant_payable:USD": [0n, sum("net_amount")],
      "provider_clearing:BRL": [sum("gross_amount"), 0n],
    });
  });
});

describe("the entries of a payment", () => {
  test("are not found by another tenant, in another mode, or of a payment that is none", async () => {
    const [payee, other] = [await createMerchant(service), await createMerchant(service)];
    const { body: payment } = await payee.pay();
    const notFound = { status: "NotFound", code: "payment_not_found", param: undefined };
    for (const { ledger, as } of [other, inLive(payee), inLive(other)])
      expect(await refusalOf(ledger.listLedgerEntries({ paymentId: payment.id }, as))).toMatchObject(
        notFound,
      );
    for (const paymentId of [newId("pay"), payment.link_id, "nonsense", ""])
      expect(await refusalOf(payee.ledger.listLedgerEntries({ paymentId }, payee.as))).toMatchObject(
        notFound,
      );
  });
});

test("the check finds no problem in all of this, and nothing at all in live mode", async () => {
  const { entryCount, paymentCount, problems } = await checkLedger(service);
  expect(problems).toEqual([]);
  expect(Number(paymentCount)).toBe(await rows.count("test.payment WHERE status = 'succeeded'"));
  expect(entryCount).toBe(paymentCount);
  expect(paymentCount).toBeGreaterThan(100n);
  expect(await checkLedger(service, Mode.LIVE)).toMatchObject({
    entryCount: 0n,
    paymentCount: 0n,
    problems: [],
  });
});
