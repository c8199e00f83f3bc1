import type { Ledger } from "../ledger/service.ts";
import type { Identity } from "../identity/service.ts";
import type { Links } from "../links/service.ts";
import type { Call } from "../platform/call.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { FaultLog } from "../platform/error-interceptor.ts";
import type { Operations } from "../platform/operation.ts";
import type { ProviderDirectory, ProviderReturn } from "../providers/ports.ts";
import type { RecordEvent } from "../webhooks/event.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { findPrice } from "../pricing/repository.ts";
import type { ChargeState } from "./charge-end.ts";
import { findCharge, listCharges } from "./repository.ts";

export interface ChargesDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly ledger: Ledger;
  readonly links: Links;
  readonly providers: Readonly<Record<Mode, ProviderDirectory>>;
  readonly recordEvent: RecordEvent;
  readonly log: FaultLog;
  readonly identity: Identity;
  /** Records money of a payment that went back. */
  readonly recordReturns: (
    call: Call,
    paymentId: string,
    returns: readonly ProviderReturn[],
  ) => Promise<void>;
}

type Deps = Pick<ChargesDeps, "environments" | "ledger" | "links" | "clock">;

/** The current state of a charge with its payment, price and link. */
export interface State extends ChargeState {
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
