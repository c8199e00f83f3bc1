import type { TenantSettings } from "../identity/repository.ts";
import type { PaymentLinkRow, PaymentLinkStatus } from "../links/entities.ts";
import { sessionExpiry, type LinkPrices } from "../links/link-price.ts";
import { newId } from "../platform/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { PAYER_TOTAL_MAX_MINOR } from "../pricing/charge-limit.ts";
import { methodUnsupported, type Way } from "../pricing/pricer.ts";
import type { Providers } from "../providers/ports.ts";
import type { CheckoutSessionRow } from "./entities.ts";

const INSTALLMENT_MIN_MINOR = 500n;
/** Payments that may be started in one session: a payer tries again some times, a program that tries out cards does not stop. */
export const SESSION_PAYMENTS_MAX = 10;

/**
 * The ways to pay that a link offers in a session: as far as link, tenant and providers go.
 * Error: payment_method_unsupported when there is none.
 */
export function waysOf(
  link: PaymentLinkRow,
  { tenant }: TenantSettings,
  { pix, card, bankAccount }: Providers,
): Way[] {
  const { feeHandling, maxInstallments } = link;
  const ways = link.paymentMethods.flatMap((method): Way[] => {
    const once = { method, installments: 1, feeHandling };
    if (method === "pix") return pix ? [once] : [];
    if (method === "ted") return bankAccount ? [once] : [];
    if (!card) return [];
    // A quote is of one number of installments.
    if (link.quoteId != null) {
      return maxInstallments <= card.maxInstallments ? [{ ...once, installments: maxInstallments }] : [];
    }
    const most = Math.min(maxInstallments, tenant.maxInstallments, card.maxInstallments);
    return Array.from({ length: most }, (_, index) => ({ ...once, installments: index + 1 }));
  });
  const [first] = link.paymentMethods;
  if (ways.length === 0 && first) throw methodUnsupported(first);
  return ways;
}

/** Those of the prices that can be charged. Error: payment_method_unsupported when there is none. */
export function chargeable({ prices }: LinkPrices, link: PaymentLinkRow): readonly PriceValues[] {
  const found = prices.filter((price) => isChargeable(price, link));
  const [first] = prices;
  if (found.length === 0 && first) throw methodUnsupported(first.method);
  return found;
}

/** A session of the link that begins now, with the prices of a list. */
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

/** Whether a payment can be started in the session, or is under way in it. */
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
  // A quote's rate may have risen since it was accepted, or the quote is older than this limit.
  if (payerTotalMinor > PAYER_TOTAL_MAX_MINOR) return false;
  // An accepted quote said its number of installments.
  return installments === 1 || quoteId != null || otherInstallmentMinor >= INSTALLMENT_MIN_MINOR;
}
