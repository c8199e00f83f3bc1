import { describe, expect, test } from "vitest";
import type { FxPolicyRow, FxSpotRow, PricingRuleRow, QuoteRow } from "../../src/pricing/entities.ts";
import { toFx } from "../../src/pricing/mapping.ts";
import { PriceBook } from "../../src/pricing/price-book.ts";
import { priceOf, chargeRefusal, PAYER_TOTAL_MAX_MINOR } from "../../src/pricing/pricer.ts";
import { quoteStatusAt } from "../../src/pricing/quote-status.ts";
import { DEFAULT_TENANT } from "../../src/pricing/repository.ts";
import {
  installmentCounts,
  installmentLimit,
  isNetRefused,
  methodRefusal,
} from "../../src/pricing/payment-options.ts";
import { PaylinkError } from "../../src/platform/rpc/errors.ts";

const NOW = new Date("2026-03-02T12:00:00Z");
const OWN = "ten_own";

function at(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1000);
}

function rule(tenantId: string, id: string, changes: Partial<PricingRuleRow> = {}): PricingRuleRow {
  return {
    tenantId,
    id,
    method: "card",
    currency: "BRL",
    percentPpm: 10_000n,
    fixedMinor: 0n,
    minMinor: 0n,
    maxMinor: null,
    surchargePpm: [0, 20_000, 30_000],
    defaultFeeHandling: "absorb",
    createdAt: NOW,
    ...changes,
  };
}

function policy(tenantId: string, id: string, validFrom: Date): FxPolicyRow {
  const iof = { iofPpm: 3500n, iofEnabled: true, iofNature: "", iofLegalBasis: "" };
  return { tenantId, id, coveragePpm: 0n, ...iof, validFrom, createdAt: NOW };
}

const SPOT = {
  tenantId: DEFAULT_TENANT,
  id: "spot",
  spotMicros: 5_000_000n,
  source: "manual",
  maxAgeSeconds: 600n,
  publishedAt: NOW,
} as FxSpotRow;

function book(
  rules: PricingRuleRow[],
  policies: FxPolicyRow[] = [],
  spot: FxSpotRow | null = null,
): PriceBook {
  return new PriceBook({ rules, policies, spot });
}

describe("the rule in force", () => {
  test("is the tenant's own although a default one is newer, and the newest of its own", () => {
    const rules = [rule(OWN, "own 1"), rule(OWN, "own 2"), rule(DEFAULT_TENANT, "default")];
    expect(book(rules).ruleFor("card", "BRL")?.id).toBe("own 2");
    expect(book(rules.slice(2)).ruleFor("card", "BRL")?.id).toBe("default");
    expect(book(rules).ruleFor("card", "USD")).toBeUndefined();
  });

  test("is listed once for each method and currency", () => {
    const rules = [
      rule(DEFAULT_TENANT, "card BRL"),
      rule(DEFAULT_TENANT, "pix USD", { method: "pix", currency: "USD" }),
      rule(DEFAULT_TENANT, "pix BRL", { method: "pix" }),
    ];
    expect(
      book(rules)
        .rules()
        .map(({ id }) => id),
    ).toEqual(["pix BRL", "pix USD", "card BRL"]);
  });
});

describe("the policy in force", () => {
  const policies = [
    policy(OWN, "own", at(-20)),
    policy(DEFAULT_TENANT, "default", at(-10)),
    policy(OWN, "own later", at(10)),
  ];

  test("is the tenant's own although a default one is newer, from its first instant on", () => {
    const all = book([], policies);
    expect(all.policyAt(NOW)?.id).toBe("own");
    expect(all.policyAt(at(9.999))?.id).toBe("own");
    expect(all.policyAt(at(10))?.id).toBe("own later");
    expect(all.policyAt(at(-21))).toBeUndefined();
  });

  test("is the default one for who has none", () => {
    expect(book([], policies.slice(1, 2)).policyAt(NOW)?.id).toBe("default");
  });
});

describe("the rate in force", () => {
  const policies = [policy(DEFAULT_TENANT, "default", at(-10))];

  test("is none from the end of its age on, without a spot rate and without a policy", () => {
    expect(book([], policies, SPOT).rateAt(at(599))?.rateMicros).toBe(5_000_000n);
    expect(book([], policies, SPOT).rateAt(at(600))).toBeUndefined();
    expect(book([], policies).rateAt(NOW)).toBeUndefined();
    expect(book([], [], SPOT).rateAt(NOW)).toBeUndefined();
    expect(book([], policies, SPOT).spot).toBe(SPOT);
  });

  test("ages by the clock if a person published it, and in bank-open time if it was fetched", () => {
    const friday = new Date("2026-03-06T16:10:00Z");
    const spot = { ...SPOT, publishedAt: friday, maxAgeSeconds: 108_000n };
    const later = (hours: number) => new Date(friday.getTime() + hours * 3_600_000);
    const manual = book([], policies, { ...spot, source: "manual" });
    const fetched = book([], policies, { ...spot, source: "ptax" });
    expect([manual.rateAgeSeconds(later(72)), fetched.rateAgeSeconds(later(72))]).toEqual([259_200, 86_400]);
    expect(manual.rateAt(later(29.9))).toBeDefined();
    expect(manual.rateAt(later(30))).toBeUndefined();
    expect(fetched.rateAt(later(77.9))).toBeDefined();
    expect(fetched.rateAt(later(78))).toBeUndefined();
    expect(book([]).rateAgeSeconds(NOW)).toBe(0);
  });

  test("that is needed and is not there is refused", () => {
    expect(() => book([]).requireRateAt(NOW)).toThrow(
      expect.objectContaining({
        code: "quote_fx_required",
        message: expect.stringContaining("try again later"),
      }),
    );
    expect(book([], policies, SPOT).requireRateAt(NOW).spot).toBe(SPOT);
  });
});

describe("the payment options", () => {
  const wanted = { amountMinor: 100_000n, currency: "BRL", payoutCurrency: "BRL" } as const;
  const settings = { tenant: { paymentMethods: ["card", "pix"], maxInstallments: 12 } };
  const offering = (rules: PricingRuleRow[]) =>
    ({ settings, book: book(rules), wanted, limits: {} }) as unknown as Parameters<typeof methodRefusal>[0];

  test("have the reason why a method is not among them", () => {
    expect(methodRefusal(offering([]), "ted")).toBe("method_not_contracted");
    expect(methodRefusal(offering([]), "card")).toBe("no_rule");
    expect(methodRefusal(offering([rule(OWN, "own")]), "card")).toBeUndefined();
  });

  test("have as many installments as tenant and rule offer, of cards only", () => {
    expect(installmentLimit(offering([]), "card")).toBe(0);
    expect(installmentLimit(offering([rule(OWN, "own")]), "card")).toBe(3);
    expect(installmentLimit(offering([rule(OWN, "own")]), "pix")).toBe(1);
    expect(installmentCounts(offering([rule(OWN, "own")]), "card", 2)).toEqual([1, 2]);
    expect(installmentCounts(offering([]), "pix", 0)).toEqual([1]);
  });

  test("end where the rule has no surcharge any more", () => {
    const price = (installments: number) =>
      priceOf(
        book([rule(OWN, "own")]),
        wanted,
        { method: "card", installments, feeHandling: undefined },
        null,
        NOW,
      );
    expect(price(3).input).toMatchObject({ feeHandling: "absorb", iof: { ppm: 0n, enabled: false } });
    const refusal = new PaylinkError(
      "payment_method_unsupported",
      "card is not offered here: use another, or ask the operator for card.",
      "payment_method",
    );
    expect(() => price(4)).toThrow(refusal);
  });

  test("lack those that leave the merchant nothing, and no other failure is taken for that", () => {
    expect(isNetRefused(new PaylinkError("merchant_net_not_positive", ""))).toBe(true);
    expect(isNetRefused(new PaylinkError("quote_expired", ""))).toBe(false);
    expect(isNetRefused({ code: "merchant_net_not_positive" })).toBe(false);
  });
});

test("a price can be charged up to and with the most of its total and of its net", () => {
  const option = { method: "card", installments: 1 } as const;
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const refused = (payerTotalMinor: bigint, receiverNetMinor: bigint) =>
    chargeRefusal(option, { payerTotalMinor, receiverNetMinor }) !== undefined;
  expect(refused(PAYER_TOTAL_MAX_MINOR, most)).toBe(false);
  expect(refused(PAYER_TOTAL_MAX_MINOR + 1n, 1n)).toBe(true);
  expect(refused(1n, most + 1n)).toBe(true);
});

test("a quote is open up to and with the instant of its end", () => {
  const quote = { consumedAt: null, expiresAt: NOW } as QuoteRow;
  expect(quoteStatusAt(quote, NOW)).toBe("open");
  expect(quoteStatusAt(quote, at(0.001))).toBe("expired");
  expect(quoteStatusAt({ ...quote, consumedAt: NOW }, at(1))).toBe("consumed");
});

test("a price shows a rate when it has all of one", () => {
  const whole = { rateMicros: 1n, fxRateHistoryId: 2n, fxLockedAt: NOW, fxValidUntil: NOW };
  expect(toFx(whole)).toMatchObject({ rate: 1n, rateHistoryId: 2n });
  for (const column of Object.keys(whole)) expect(toFx({ ...whole, [column]: null })).toBeUndefined();
});
