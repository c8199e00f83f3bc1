import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { seedPricing } from "../../cli/serve/seed.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";
import { balancesOf, checkLedger, entriesOf, kindsOf, written } from "./book-keeper.ts";
import { times } from "../support/scale.ts";

const PAYMENT_ONLY = ["payment"];
const SETTLED = ["payment", "settlement"];

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
// Policies hold from when they are made: these before every day of these tests, whatever the day is now.
at("2026-01-01 00:00");
await seedPricing(createClient(PricingService, service.core.transport), service.internal.headers);

/** Makes it that time in São Paulo. */
function at(dayAndTime: string): void {
  service.clock.set(new Date(`${dayAndTime.replace(" ", "T")}:00-03:00`));
}

async function settleAt(dayAndTime: string, rounds = 1): Promise<void> {
  at(dayAndTime);
  for (let time = 0; time < rounds; time++) await service.core.tasks.settle();
}

async function payAt(dayAndTime: string, merchant: Merchant, link: object = {}): Promise<string> {
  at(dayAndTime);
  return (await merchant.pay(link)).body.id;
}

async function putDay(day: string, isBusinessDay: boolean, mode: Mode = Mode.TEST): Promise<void> {
  const override = { mode, day, isBusinessDay, reason: "test" };
  await createClient(LedgerService, service.core.transport).putBusinessDay(override, service.internal);
}

/** Is not settled a minute before that day begins, and is as soon as it has begun. */
async function expectSettledOn(day: string, merchant: Merchant, paymentId: string): Promise<void> {
  const eve = Temporal.PlainDate.from(day).subtract({ days: 1 });
  await settleAt(`${eve.toString()} 23:59`, 5);
  expect(await kindsOf(merchant, paymentId)).toEqual(PAYMENT_ONLY);
  await settleAt(`${day} 00:00`);
  expect(await kindsOf(merchant, paymentId)).toEqual(SETTLED);
}

describe("settles a payment on its day", () => {
  test.each([
    ["D+1 of a Friday on Monday", 1, "2026-03-06 10:00", "2026-03-09"],
    ["D+1 of a Friday at 22:00, Saturday in UTC, on Monday", 1, "2026-03-06 22:00", "2026-03-09"],
    ["D+2 of a Friday on Tuesday", 2, "2026-03-06 10:00", "2026-03-10"],
    ["D+0 of a Saturday on Monday", 0, "2026-03-07 10:00", "2026-03-09"],
    ["D+1 of the Friday before Carnival on Ash Wednesday", 1, "2026-02-13 10:00", "2026-02-18"],
    ["D+2 of the Friday before Carnival on Thursday", 2, "2026-02-13 10:00", "2026-02-19"],
  ])("%s", async (_, settlementDays, paidAt, day) => {
    const merchant = await createMerchant(service, { settlementDays });
    await expectSettledOn(day, merchant, await payAt(paidAt, merchant));
  });

  test("D+0 of a Friday at once, up to its last minutes", async () => {
    const merchant = await createMerchant(service, { settlementDays: 0 });
    const paid = await payAt("2026-03-06 23:50", merchant);
    await settleAt("2026-03-06 23:55");
    expect(await kindsOf(merchant, paid)).toEqual(SETTLED);
  });

  test("long after it, when no settlement ran before", async () => {
    const merchant = await createMerchant(service);
    const paid = await payAt("2026-03-06 10:00", merchant);
    await settleAt("2026-08-01 10:00");
    expect(await kindsOf(merchant, paid)).toEqual(SETTLED);
  });

  test("one payment and not another of the same tenant that is due later", async () => {
    const merchant = await createMerchant(service);
    const first = await payAt("2026-03-04 10:00", merchant);
    const second = await payAt("2026-03-05 10:00", merchant);
    await settleAt("2026-03-05 12:00");
    expect([await kindsOf(merchant, first), await kindsOf(merchant, second)]).toEqual([
      SETTLED,
      PAYMENT_ONLY,
    ]);
    await settleAt("2026-03-06 12:00");
    expect([await kindsOf(merchant, first), await kindsOf(merchant, second)]).toEqual([SETTLED, SETTLED]);
  });

  test("never one that failed or expired", async () => {
    const merchant = await createMerchant(service, { settlementDays: 0 });
    at("2026-03-06 10:00");
    for (const outcome of ["failed", "expired"]) {
      const { body } = await merchant.pay({}, { outcome });
      await settleAt("2026-03-20 10:00");
      expect(await kindsOf(merchant, body.id)).toEqual([]);
    }
  });
});

describe("a settlement", () => {
  test.each([
    ["BRL", 15_990, "BRL", 15_792n],
    ["USD", 10_000, "USD", 9771n],
    ["USD", 55_000, "BRL", 9869n],
  ] as const)("paid out in %s moves the net of %i %s from payable to available", async (...given) => {
    const [payoutCurrency, amount, currency, net] = given;
    const merchant = await createMerchant(service, { payoutCurrency });
    const paid = await payAt("2026-03-06 10:00", merchant, { amount, currency });
    await settleAt("2026-03-09 08:00");
    const [, entry] = await entriesOf(merchant, paid);
    expect(written(entry ?? { lines: [] })).toEqual([
      `merchant_available:${payoutCurrency} Cr ${net}`,
      `merchant_payable:${payoutCurrency} Dr ${net}`,
    ]);
    expect(Number(entry?.bookedAt?.seconds)).toBe(Date.parse("2026-03-09T11:00:00Z") / 1000);
    expect(await balancesOf(merchant, payoutCurrency)).toMatchObject({
      [`merchant_payable:${payoutCurrency}`]: [net, net],
      [`merchant_available:${payoutCurrency}`]: [0n, net],
    });
  });

  test("is booked once, by however many cores at however many times", async () => {
    const merchant = await createMerchant(service);
    at("2026-03-06 10:00");
    const ids = (await Promise.all(Array.from({ length: 60 }, () => merchant.pay()))).map(
      ({ body }) => body.id,
    );
    const second = await secondService(service);
    at("2026-03-09 08:00");
    const rounds = Array.from({ length: 5 }, () => [service.core.tasks.settle(), second.core.tasks.settle()]);
    await Promise.all(rounds.flat());
    await settleAt("2026-03-09 09:00", 5);
    await second.close();
    for (const id of ids) expect(await kindsOf(merchant, id)).toEqual(SETTLED);
    expect(await balancesOf(merchant)).toMatchObject({
      "merchant_payable:BRL": [947_520n, 947_520n],
      "merchant_available:BRL": [0n, 947_520n],
    });
  });

  test.each(times([1, 2], [2]))(
    "of 1100 payments due at once is booked of each, by %i cores",
    async (cores) => {
      const merchant = await createMerchant(service);
      at("2026-03-06 10:00");
      const link = await merchant.newLink({ campaign: true });
      for (let chunk = 0; chunk < 22; chunk++) {
        const paid = await Promise.all(Array.from({ length: 50 }, () => merchant.simulate(link)));
        expect(new Set(paid.map(({ status }) => status))).toEqual(new Set([200]));
      }
      const second = await secondService(service);
      at("2026-03-09 08:00");
      await Promise.all([service, second].slice(0, cores).map(({ core }) => core.tasks.settle()));
      await second.close();
      const settled = "test.ledger_entry WHERE kind = 'settlement' AND tenant_id = $1";
      expect(await rows.count(settled, [merchant.tenant.id])).toBe(1100);
      expect(await balancesOf(merchant)).toMatchObject({ "merchant_available:BRL": [0n, 1100n * 15_792n] });
    },
  );
});

describe("the term", () => {
  test.each([
    ["D+3", 1, "2026-03-11"],
    ["D+0", 5, "2026-03-09"],
  ])("of an accepted quote's intent, %s, wins over the tenant's D+%i", async (settlement_term, days, due) => {
    const merchant = await createMerchant(service, { settlementDays: days });
    const { api } = merchant;
    at("2026-03-07 10:00");
    const wanted = { amount: 15_990, currency: "BRL", settlement_term };
    const { body: intent } = await api.post("/v1/payment_intents", wanted);
    const priced = { payment_intent_id: intent.id, payment_method: "pix" };
    const { body: quote } = await api.post("/v1/quotes", priced);
    const { body: link } = await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
    await expectSettledOn(due, merchant, (await merchant.simulate(link.id)).body.id);
  });

  test("of a quote without an intent is the tenant's", async () => {
    const merchant = await createMerchant(service, { settlementDays: 2 });
    const { api } = merchant;
    at("2026-03-06 10:00");
    const wanted = { amount: 15_990, currency: "BRL", payment_method: "pix" };
    const { body: quote } = await api.post("/v1/quotes", wanted);
    const { body: link } = await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
    await expectSettledOn("2026-03-10", merchant, (await merchant.simulate(link.id)).body.id);
  });
});

describe("PutBusinessDay", () => {
  test("closing a day delays what succeeded before", async () => {
    const merchant = await createMerchant(service);
    const paid = await payAt("2026-05-15 10:00", merchant);
    await putDay("2026-05-18", false);
    await expectSettledOn("2026-05-19", merchant, paid);
  });

  test("opening a holiday makes earlier what succeeded before", async () => {
    const merchant = await createMerchant(service);
    const paid = await payAt("2026-04-02 10:00", merchant);
    await settleAt("2026-04-03 10:00");
    expect(await kindsOf(merchant, paid)).toEqual(PAYMENT_ONLY);
    await putDay("2026-04-03", true);
    await settleAt("2026-04-03 10:00");
    expect(await kindsOf(merchant, paid)).toEqual(SETTLED);
  });

  test("in live mode changes nothing in test mode", async () => {
    const merchant = await createMerchant(service);
    const paid = await payAt("2026-05-22 10:00", merchant);
    await putDay("2026-05-25", false, Mode.LIVE);
    await expectSettledOn("2026-05-25", merchant, paid);
  });

  test("for the same day again: the last word is in force", async () => {
    const merchant = await createMerchant(service);
    const [first, second] = [
      await payAt("2026-06-12 10:00", merchant),
      await payAt("2026-06-19 10:00", merchant),
    ];
    for (const isOpen of [false, true, false, true]) await putDay("2026-06-15", isOpen);
    for (const isOpen of [true, false, true, false]) await putDay("2026-06-22", isOpen);
    await expectSettledOn("2026-06-15", merchant, first);
    await expectSettledOn("2026-06-23", merchant, second);
  });

  test.each(["2026-02-30", "0000-01-01", "26-02-01", ""])("%j is refused and not kept", async (day) => {
    const before = await rows.count("test.business_day_override");
    const refused = { status: "InvalidArgument", code: "invalid_request", param: "day" };
    expect(await refusalOf(putDay(day, true))).toMatchObject(refused);
    expect(await rows.count("test.business_day_override")).toBe(before);
  });
});

test("the check finds no problem in all of this", async () => {
  expect((await checkLedger(service)).problems).toEqual([]);
});
