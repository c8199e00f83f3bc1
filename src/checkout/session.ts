import { hash } from "node:crypto";
import type { TenantSettings } from "../identity/tenant-settings.ts";
import type { PaymentLinkRow, PaymentLinkStatus } from "../links/entities.ts";
import { sessionExpiry, type LinkPrices } from "../links/link-price.ts";
import { newId } from "../../contract/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { isBelowLeast, isContracted } from "../pricing/payment-options.ts";
import { methodUnsupported, type PaymentOption, PAYER_TOTAL_MAX_MINOR } from "../pricing/pricer.ts";
import { limitsOf } from "../providers/account-limits.ts";
import type { Providers } from "../providers/directory.ts";
import type { CheckoutSessionRow } from "./entities.ts";

const INSTALLMENT_MIN_MINOR = 500n;
/**
 * Maximum number of payments started in one session. A payer retries a few times; a program that tests stolen cards
 * does not stop.
 */
export const SESSION_PAYMENTS_MAX = 10;

/** Returns the payment options that a link offers, as far as link, tenant and providers now allow. */
export function offeredOptions(
  link: PaymentLinkRow,
  settings: TenantSettings,
  providers: Providers,
): PaymentOption[] {
  const { pix, bankAccount } = providers;
  const { card } = limitsOf(providers);
  const { feeHandling, maxInstallments } = link;
  return link.paymentMethods.flatMap((method): PaymentOption[] => {
    if (!isContracted(settings, method)) return [];
    const once = { method, installments: 1, feeHandling };
    if (method === "pix") return pix ? [once] : [];
    if (method === "ted") return bankAccount ? [once] : [];
    if (!card) return [];
    // A quote has exactly one number of installments.
    const accountMost = card.installments;
    if (link.quoteId != null) {
      return maxInstallments <= accountMost ? [{ ...once, installments: maxInstallments }] : [];
    }
    const most = Math.min(maxInstallments, settings.tenant.maxInstallments, accountMost);
    return Array.from({ length: most }, (_, index) => ({ ...once, installments: index + 1 }));
  });
}

/** Returns the payment options of a new session. Error: payment_method_unsupported without any. */
export function paymentOptionsOf(
  link: PaymentLinkRow,
  settings: TenantSettings,
  providers: Providers,
): PaymentOption[] {
  const options = offeredOptions(link, settings, providers);
  const [first] = link.paymentMethods;
  if (options.length === 0 && first) throw methodUnsupported(first);
  return options;
}

/** Returns the prices that the accounts can charge. Error: payment_method_unsupported if there is none. */
export function chargeable(
  { prices }: LinkPrices,
  link: PaymentLinkRow,
  providers: Pick<Providers, "pix" | "card">,
): readonly PriceValues[] {
  const limits = limitsOf(providers);
  const found = prices.filter((price) => isChargeable(price, link) && !isBelowLeast(price, limits));
  const [first] = prices;
  if (found.length === 0 && first) throw methodUnsupported(first.method);
  return found;
}

/** Returns the same text for the same totals at the same rate: what a payer has seen. */
export function pricesVersion(
  prices: readonly Pick<PriceValues, "method" | "installments" | "payerTotalMinor" | "rateMicros">[],
): string {
  const seen = prices.map((one) => [
    one.method,
    one.installments,
    `${one.payerTotalMinor}`,
    `${one.rateMicros ?? ""}`,
  ]);
  return hash("sha256", JSON.stringify(seen), "base64url");
}

/** Returns a new session of the link that starts now, with the prices of a list. */
export function newSession(link: PaymentLinkRow, priceListId: string, now: Date): CheckoutSessionRow {
  const expiresAt = sessionExpiry(link, now);
  const { tenantId, id: linkId } = link;
  return {
    tenantId,
    id: newId("cs"),
    linkId,
    priceListId,
    paymentCount: 0,
    paidPaymentId: null,
    expiresAt,
    createdAt: now,
  };
}

/** Returns the session as it is now: it ends with its link at the latest, whose end may have moved since it was opened. */
export function endingWith<Session extends { readonly expiresAt: Date }>(
  session: Session,
  { expiresAt }: Pick<PaymentLinkRow, "expiresAt">,
): Session {
  return expiresAt && expiresAt < session.expiresAt ? { ...session, expiresAt } : session;
}

/** Returns true if a payment can be started in the session, or is in progress in it. */
export function isOpenAt(
  { expiresAt, paymentCount }: Pick<CheckoutSessionRow, "expiresAt" | "paymentCount">,
  link: PaymentLinkStatus,
  isUnderWay: boolean,
  now: Date,
): boolean {
  return link === "active" && expiresAt > now && (isUnderWay || paymentCount < SESSION_PAYMENTS_MAX);
}

function isChargeable(
  { installments, payerTotalMinor, otherInstallmentMinor }: PriceValues,
  { quoteId }: PaymentLinkRow,
): boolean {
  // The rate of a quote may have risen since its acceptance, or the quote is older than this limit.
  if (payerTotalMinor > PAYER_TOTAL_MAX_MINOR) return false;
  // An accepted quote fixes its number of installments.
  return installments === 1 || quoteId != null || otherInstallmentMinor >= INSTALLMENT_MIN_MINOR;
}
