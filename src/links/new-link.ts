import { defaultNumber } from "../../contract/field-default.ts";
import {
  CreatePaymentLinkRequestSchema,
  type AcceptQuoteRequest,
  type CreatePaymentLinkRequest,
} from "../../gen/paylink/links/v1/links_pb.ts";
import type { LegalEntityRow } from "../identity/entities.ts";
import { insertIdOwner } from "../identity/id-owner.ts";
import { fromPayerFields } from "../identity/payer-fields.ts";
import type { TenantSettings } from "../identity/tenant-settings.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { insert, type Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import type { PriceValues, QuoteRow } from "../pricing/entities.ts";
import { needsConversion, pricingCurrency } from "../pricing/fee-rule.ts";
import { fromFeeHandlingEnum, fromMethodEnum } from "../pricing/mapping.ts";
import { isContracted, amountTooSmall, isBelowLeast } from "../pricing/payment-options.ts";
import type { PriceBook } from "../pricing/price-book.ts";
import { methodUnsupported, mostText, priceOf, ruleMissing } from "../pricing/pricer.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import { PaymentLink, type PaymentLinkRow } from "./entities.ts";
import { recordLinks, type LinkEventDeps } from "./link-events.ts";
import { fromCollectField } from "./mapping.ts";

const SINGLE_SECONDS = 86_400n;
const CAMPAIGN_SECONDS = 0n;
const DEFAULT_INSTALLMENTS = defaultNumber(CreatePaymentLinkRequestSchema.field.maxInstallments);

/**
 * Returns a new link made directly, and why no payer can pay it yet, if so. Errors: payment_method_unsupported, invalid_request, quote_fx_required,
 * merchant_net_not_positive.
 */
export function newDirectLink(
  request: CreatePaymentLinkRequest,
  settings: TenantSettings,
  payee: LegalEntityRow,
  book: PriceBook,
  limits: AccountLimits,
  now: Date,
): { link: PaymentLinkRow; unpayable: string | undefined } {
  const { tenant } = settings;
  const isCampaign = request.campaign ?? false;
  const link: PaymentLinkRow = {
    ...blank(tenant.id, now),
    isCampaign,
    amountMinor: request.amount ?? 0n,
    currency: request.currency === "USD" ? "USD" : "BRL",
    payoutCurrency: payee.payoutCurrency,
    legalEntityId: payee.id,
    reference: request.reference ?? null,
    paymentMethods: request.paymentMethods?.values.map(fromMethodEnum) ?? ["pix"],
    maxInstallments: request.maxInstallments ?? Math.min(tenant.maxInstallments, DEFAULT_INSTALLMENTS),
    feeHandling: request.feeHandling === undefined ? "absorb" : fromFeeHandlingEnum(request.feeHandling),
    description: request.description ?? null,
    productRef: request.productRef ?? null,
    details: request.details ?? null,
    productImages: request.productImages?.values ?? [],
    collectFields: request.collectFields?.values.map(fromCollectField) ?? collectFieldsOf(settings),
    successUrl: request.successUrl ?? null,
    successMessage: request.successMessage ?? null,
    payerFields: request.payerFields ? fromPayerFields(request.payerFields) : tenant.payerFields,
    metadata: request.metadata ?? {},
    expiresAt: expiry(request.expiresIn, isCampaign, now),
  };
  const options = pricedOptions(link, settings, book, now);
  requireChargeable(link, options, limits);
  return { link, unpayable: notPayableReason(options, limits) };
}

/**
 * Returns a new link with an accepted quote. A campaign keeps the quote's terms but not its price. If the request has
 * no reference or metadata, those of the quote's intent are used.
 */
export function newAcceptedLink(
  request: AcceptQuoteRequest,
  priced: Pick<PaymentLinkRow, "reference" | "metadata"> | undefined,
  settings: TenantSettings,
  quote: QuoteRow,
  price: PriceValues,
  paymentIntentId: string,
  now: Date,
): PaymentLinkRow {
  const isCampaign = request.campaign ?? false;
  return {
    ...blank(quote.tenantId, now),
    isCampaign,
    amountMinor: price.amountMinor,
    currency: price.currency,
    payoutCurrency: price.receiverCurrency,
    legalEntityId: quote.legalEntityId,
    reference: request.reference ?? priced?.reference ?? null,
    paymentMethods: [price.method],
    maxInstallments: price.installments,
    feeHandling: price.feeHandling,
    description: request.name ?? null,
    productRef: null,
    details: request.description ?? null,
    productImages: request.mediaUrls?.values ?? [],
    collectFields: collectFieldsOf(settings),
    successUrl: request.successUrl ?? null,
    successMessage: request.successMessage ?? null,
    payerFields: settings.tenant.payerFields,
    metadata: request.metadata ?? priced?.metadata ?? {},
    quoteId: quote.id,
    priceId: isCampaign ? null : price.id,
    paymentIntentId,
    expiresAt: expiry(request.expiresIn, isCampaign, now),
  };
}

/** Returns the changes that insert a link with its event, and the owner of its id. Its page is found by that owner. */
export function insertLink(deps: LinkEventDeps, mode: Mode, link: PaymentLinkRow): Change[] {
  const { tenantId, id } = link;
  return [
    insert(PaymentLink, link),
    insertIdOwner(id, tenantId, mode),
    ...recordLinks(deps, { tenantId, mode }, "active", [link]),
  ];
}

function blank(tenantId: string, now: Date) {
  return {
    tenantId,
    id: newId("pl"),
    status: "active" as const,
    quoteId: null,
    priceId: null,
    paymentIntentId: null,
    createdAt: now,
    updatedAt: null,
    canceledAt: null,
  };
}

function collectFieldsOf({ tenant }: TenantSettings): ("phone" | "address")[] {
  return (["phone", "address"] as const).filter((field) => tenant.collectFields.includes(field));
}

function expiry(expiresIn: bigint | undefined, isCampaign: boolean, now: Date): Date | null {
  const seconds = expiresIn ?? (isCampaign ? CAMPAIGN_SECONDS : SINGLE_SECONDS);
  return seconds === 0n ? null : secondsAfter(now, Number(seconds));
}

/** Returns every payment option of the link, priced. Each must leave the merchant a positive net. */
function pricedOptions(link: PaymentLinkRow, settings: TenantSettings, book: PriceBook, now: Date) {
  const { currency, payoutCurrency, feeHandling } = link;
  for (const method of link.paymentMethods) {
    if (!isContracted(settings, method))
      throw methodUnsupported(method, settings.tenant.paymentMethods, "payment_methods");
    const rule = book.ruleFor(method, pricingCurrency(currency, payoutCurrency));
    if (!rule) throw ruleMissing(method, link, "payment_methods");
    const limit = Math.min(settings.tenant.maxInstallments, rule.surchargePpm.length);
    if (method === "card" && link.maxInstallments > limit) {
      throw invalidRequest("max_installments", mostText("max_installments", limit));
    }
  }
  const rateMicros = needsConversion(currency, payoutCurrency) ? book.requireRateAt(now).rateMicros : null;
  return link.paymentMethods.flatMap((method) =>
    Array.from({ length: method === "card" ? link.maxInstallments : 1 }, (_, index) => {
      const option = { method, installments: index + 1, feeHandling };
      return { ...option, ...priceOf(book, link, option, rateMicros, now).price };
    }),
  );
}

/** A priced payment option, as far as an account may have limits for it. */
type Option = Pick<PriceValues, "method" | "installments" | "payerTotalMinor" | "otherInstallmentMinor">;

/**
 * Requires that the merchant's accounts, once each method has one, can charge a new link by one of its payment options.
 * Errors: invalid_request on max_installments or amount.
 */
function requireChargeable(
  { paymentMethods, maxInstallments }: Pick<PaymentLinkRow, "paymentMethods" | "maxInstallments">,
  options: readonly Option[],
  limits: AccountLimits,
): void {
  if (paymentMethods.every((method) => method === "card")) requireInstallments(limits, maxInstallments);
  if (options.some((option) => isOffered(option, limits))) return;
  const tooSmall = options.find((option) => isBelowLeast(option, limits));
  if (tooSmall) throw amountTooSmall(tooSmall.method, limits);
}

/** Requires that the account of a quote's method, if there is one, can charge it. Errors: those of `requireChargeable`. */
export function requireChargeableQuote(option: Option, limits: AccountLimits): void {
  if (option.method === "card") requireInstallments(limits, option.installments);
  if (isBelowLeast(option, limits)) throw amountTooSmall(option.method, limits);
}

/** Returns why no payer can pay a new link yet, and what to connect; undefined if one of its options can be paid. */
export function notPayableReason(options: readonly Option[], limits: AccountLimits): string | undefined {
  // An option that is too small for its account waits for nothing.
  const possible = options.filter((option) => !isBelowLeast(option, limits));
  const methods = [...new Set(possible.map(({ method }) => method))];
  if (methods.some((method) => limits.methods.includes(method))) return undefined;
  const connectable = methods.filter((method) => method !== "ted");
  return connectable.length === 0
    ? "No payer can pay this link yet: live mode takes no bank transfers yet."
    : `No payer can pay this link yet: connect an account for ${connectable.join(" or ")} in the console, or with "paylink providers put".`;
}

function isOffered(option: Option, limits: AccountLimits): boolean {
  if (isBelowLeast(option, limits)) return false;
  return option.method !== "card" || option.installments <= (limits.card?.installments ?? 0);
}

function requireInstallments({ card }: AccountLimits, installments: number): void {
  if (!card || installments <= card.installments) return;
  const message = `max_installments must be at most ${card.installments}, which the card account offers.`;
  throw invalidRequest("max_installments", message);
}
