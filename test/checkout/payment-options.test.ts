import { expect, test } from "vitest";
import type { PaymentLinkRow } from "../../src/links/entities.ts";
import type { TenantSettings } from "../../src/identity/tenant-settings.ts";
import { installmentLimit } from "../../src/pricing/payment-options.ts";
import type { PriceBook } from "../../src/pricing/price-book.ts";
import type { Providers } from "../../src/providers/directory.ts";
import { paymentOptionsOf } from "../../src/checkout/session.ts";

const tenant = { tenant: { maxInstallments: 21, paymentMethods: ["pix", "card"] } } as TenantSettings;
const providers = { card: { terms: { installments: { elo: 6, other: 12 } } } } as unknown as Providers;
const link = (maxInstallments: number, quoteId: string | null) =>
  ({
    paymentMethods: ["card"],
    feeHandling: "absorb",
    maxInstallments,
    quoteId,
  }) as unknown as PaymentLinkRow;
const installmentsOf = (of: PaymentLinkRow, settings = tenant) =>
  paymentOptionsOf(of, settings, providers).map(({ installments }) => installments);

test("case 14: 21 installments on an account of 18 are neither priced nor quoted", () => {
  const book = {
    ruleFor: () => ({ surchargePpm: Array.from({ length: 21 }, () => 0) }),
  } as unknown as PriceBook;
  const wanted = { amountMinor: 100_000n, currency: "BRL", payoutCurrency: "BRL" } as const;
  const most = (account: number | undefined) =>
    installmentLimit(
      {
        settings: tenant,
        book,
        wanted,
        limits: {
          methods: account === undefined ? [] : ["card"],
          pixLeastMinor: 0n,
          card: account === undefined ? undefined : { installments: account, leastInstallmentMinor: 0n },
        },
      },
      "card",
    );
  expect([most(18), most(21), most(undefined)]).toEqual([18, 21, 21]);
});

test("case 14: a link offers no more installments than the provider takes", () => {
  expect(installmentsOf(link(21, null)).at(-1)).toBe(12);
  expect(installmentsOf(link(3, null))).toEqual([1, 2, 3]);
});

test("case 14: a quote of more installments than the provider takes is not offered", () => {
  expect(installmentsOf(link(12, "qt_1"))).toEqual([12]);
  expect(() => installmentsOf(link(13, "qt_1"))).toThrow("card is not offered here");
});

test("a tenant's lower limit holds for links, and leaves an accepted quote its own number", () => {
  const lowered = { tenant: { ...tenant.tenant, maxInstallments: 3 } } as TenantSettings;
  expect(installmentsOf(link(12, null), lowered)).toEqual([1, 2, 3]);
  expect(installmentsOf(link(12, "qt_1"), lowered)).toEqual([12]);
});
