import type { AcceptQuoteRequest } from "../../gen/paylink/links/v1/links_pb.ts";
import { newId } from "../../contract/ids.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import type { Decision } from "../platform/write/decision.ts";
import type { PriceValues, QuoteRow } from "../pricing/entities.ts";
import { requireContracted } from "../pricing/payment-options.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { LinksDeps } from "./deps.ts";
import type { PaymentLinkRow } from "./entities.ts";
import { toAcceptedLink } from "./mapping.ts";
import { insertLink, newAcceptedLink, notPayableReason, requireChargeableQuote } from "./new-link.ts";

type Deps = Pick<LinksDeps, "identity" | "ledger" | "pricing" | "checkoutBase" | "recordEvents">;

/**
 * Decides the acceptance of a quote that can be accepted now: its intent, its link and its end. Errors:
 * payment_method_unsupported, invalid_request on max_installments or amount.
 */
export async function decideAcceptance(
  request: AcceptQuoteRequest,
  deps: Deps,
  accepted: {
    readonly caller: Caller;
    readonly quote: QuoteRow;
    readonly price: PriceValues;
    readonly limits: AccountLimits;
    readonly now: Date;
  },
): Promise<Decision<{ acceptedLink: ReturnType<typeof toAcceptedLink> }>> {
  const { identity, ledger, pricing, checkoutBase } = deps;
  const { caller, quote, price, limits, now } = accepted;
  const { tenantId, mode } = caller;
  const settings = await identity.settingsOf(tenantId);
  requireContracted(settings, price.method);
  requireChargeableQuote(price, limits);
  const priced =
    quote.paymentIntentId == null ? undefined : await ledger.intent(caller, quote.paymentIntentId);
  const intentId = newId("pi");
  const link = newAcceptedLink(request, priced, settings, quote, price, intentId, now);
  const intent = ledger.insertIntent({
    tenantId,
    id: intentId,
    quoteId: quote.id,
    createdAt: now,
    legalEntityId: quote.legalEntityId,
    amountMinor: price.amountMinor,
    currency: price.currency,
    payerCountry: request.payerCountry ?? null,
    settlementTerm: quote.settlementTerm,
    feeStrategy: (quote.feeStrategy ?? null) as PaymentLinkRow["metadata"] | null,
    fxRateHistoryId: price.fxRateHistoryId ?? null,
    reference: link.reference ?? null,
    metadata: link.metadata,
  });
  const acceptedLink = toAcceptedLink(link, price, intentId, checkoutBase);
  const unpayable = notPayableReason([price], limits);
  if (unpayable !== undefined) acceptedLink.notPayableReason = unpayable;
  return {
    response: { acceptedLink },
    changes: [pricing.consume(quote, now), intent, ...insertLink(deps, mode, link)],
    // The request's id is the quote's, which the entry has in its details.
    audit: { objectId: link.id },
  };
}
