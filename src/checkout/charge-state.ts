import type { PaymentRow } from "../ledger/entities.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { noSuch } from "../platform/rpc/errors.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ChargeState } from "./charge-end.ts";
import type { ChargeName } from "../providers/card-port.ts";
import type { ChargesDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import { findState, listCharges } from "./repository.ts";

type Deps = Pick<ChargesDeps, "environments" | "ledger" | "clock">;

/** The current state of a charge with its payment, price and link. */
export interface State extends ChargeState {
  readonly payment: PaymentRow;
  readonly price: PriceValues;
}

/** Error: payment_not_found. */
export async function stateOf(
  { environments, clock }: Deps,
  caller: Caller,
  paymentId: string,
): Promise<State> {
  const found = await findState(environments[caller.mode], caller.tenantId, paymentId);
  if (!found) throw noSuch("payment_not_found", "payment");
  return { ...found, now: wholeSecond(clock) };
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
  const all = await listCharges(environments[caller.mode], caller.tenantId, charge.sessionId);
  return all.some(({ payment }) => payment.status === "succeeded");
}

/** Returns a card's charge as its provider may know it. */
export function nameOf({ reference, providerChargeId, removedAt }: ChargeRow): ChargeName {
  return { reference, chargeId: providerChargeId ?? null, isRemoved: removedAt != null };
}
