import type { PaymentRow } from "../ledger/entities.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { findPrice } from "../pricing/repository.ts";
import type { ChargeState } from "./charge-end.ts";
import type { ChargeName } from "../providers/card-port.ts";
import type { ChargesDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import { findCharge, listCharges } from "./repository.ts";

type Deps = Pick<ChargesDeps, "environments" | "ledger" | "links" | "clock">;

/** The current state of a charge with its payment, price and link. */
export interface State extends ChargeState {
  readonly payment: PaymentRow;
  readonly price: PriceValues;
}

/** Error: payment_not_found. */
export async function stateOf(
  { environments, ledger, links, clock }: Deps,
  caller: Caller,
  paymentId: string,
): Promise<State> {
  const environment = environments[caller.mode];
  const charge = await findCharge(environment, caller.tenantId, { paymentId });
  const payment = await ledger.payment(caller, paymentId);
  if (!charge || !payment) throw new PaylinkError("payment_not_found", "There is no such payment.");
  return {
    charge,
    payment,
    price: await findPrice(environment, caller.tenantId, payment.priceId),
    link: await links.find(caller, payment.linkId ?? ""),
    now: wholeSecond(clock),
  };
}

/**
 * Returns true if another payment has succeeded: of the same link if it is single, of the same session if it is a
 * campaign. A campaign's session is one purchase.
 */
export async function isPaid(
  { environments, ledger }: Deps,
  caller: Caller,
  { charge, link }: State,
): Promise<boolean> {
  if (!link.isCampaign) return await ledger.isPaid(caller, link.id);
  const charges = await listCharges(environments[caller.mode], caller.tenantId, charge.sessionId);
  const ids = charges.map(({ paymentId }) => paymentId);
  const payments = await ledger.payments(caller, ids);
  return [...payments.values()].some(({ status }) => status === "succeeded");
}

/** Returns a card's charge as its provider may know it. */
export function nameOf({ reference, providerChargeId, removedAt }: ChargeRow): ChargeName {
  return { reference, chargeId: providerChargeId ?? null, isRemoved: removedAt != null };
}
