import type { Identity } from "../identity/service.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import type { Ledger } from "../ledger/service.ts";
import type { SimulatePaymentRequest } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import type { Change } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import { requireContracted } from "../pricing/payment-options.ts";
import { methodUnsupported } from "../pricing/pricer.ts";
import type { Pricing } from "../pricing/service.ts";
import type { Aftermath } from "../providers/directory.ts";
import type { PaymentLinkRow } from "./entities.ts";
import type { LinkEventDeps } from "./link-events.ts";
import { insertLinkPrices, pricesNow } from "./link-price.ts";
import { completeLink, lockLink, requireOpen } from "./link-status.ts";
import { aftermathOf, methodOf, outcomeOf } from "./simulated-outcome.ts";

/** The dependencies of a simulation on other rooms. */
export interface SimulationDeps extends LinkEventDeps {
  readonly identity: Identity;
  readonly pricing: Pricing;
  readonly ledger: Ledger;
  readonly environment: Environment;
  readonly caller: Caller;
  readonly now: Date;
  /** Returns the changes by which a payment's provider has it, and knows what happens to its money afterwards. */
  readonly simulatedCharge: (caller: Caller, success: Success) => Promise<Change[]>;
}

/** A simulated payment that succeeds, and what happens to its money afterwards. */
interface Success {
  readonly payment: PaymentRow;
  readonly price: PriceValues;
  readonly link: PaymentLinkRow;
  readonly now: Date;
  readonly aftermath: Aftermath;
}

interface Charged {
  readonly price: PriceValues;
  readonly changes: readonly Change[];
}

/**
 * Decides a simulated payment: continues the one in progress, or starts one at the current price. Errors:
 * invalid_request (closed link), payment_method_unsupported, quote_fx_required, merchant_net_not_positive.
 */
export async function decideSimulation(
  request: SimulatePaymentRequest,
  link: PaymentLinkRow,
  deps: SimulationDeps,
) {
  const { ledger, caller, now } = deps;
  requireOpen(link, now);
  const method = methodOf(request);
  if (!link.paymentMethods.includes(method)) throw methodUnsupported(method, link.paymentMethods);
  const inProgress = await ledger.pendingPayment(caller, link.id, method);
  const pending = inProgress?.payment ?? null;
  const { price, changes } = inProgress
    ? { price: inProgress.price, changes: [] }
    : await chargeNow(link, method, deps);
  const { id: linkId, reference = null, metadata, isCampaign } = link;
  const started =
    pending ?? ledger.startedPayment({ linkId, isSingle: !isCampaign, reference, metadata }, price, now);
  const outcome = { ...started, ...outcomeOf(request), updatedAt: now };
  const isCompleted = outcome.status === "succeeded" && !isCampaign;
  const moved = await ledger.movePayment(caller, pending, outcome, price, link.paymentIntentId ?? null);
  const aftermath = aftermathOf(request);
  const charge = aftermath
    ? await deps.simulatedCharge(caller, { payment: outcome, price, link, now, aftermath })
    : [];
  return {
    response: { payment: moved.payment },
    changes: [
      ...changes,
      ...moved.changes,
      ...charge,
      ...(isCompleted ? completeLink(deps, caller.mode, link, now) : [lockLink(link)]),
    ],
    audit: { objectId: linkId },
  };
}

/** Returns the price of a payment that starts now, by a method that the tenant has now. */
async function chargeNow(
  link: PaymentLinkRow,
  method: PaymentMethod,
  deps: SimulationDeps,
): Promise<Charged> {
  requireContracted(await deps.identity.settingsOf(link.tenantId), method);
  // A campaign made from a quote keeps the quote's number of installments.
  const installments = method === "card" && link.quoteId != null ? link.maxInstallments : 1;
  const option = { method, installments, feeHandling: link.feeHandling };
  const priced = await pricesNow(link, [option], deps);
  return { price: priced.prices[0] as PriceValues, changes: insertLinkPrices(priced, priced.prices) };
}
