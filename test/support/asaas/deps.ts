import type { BankClock } from "../../../tools/bank/clock.ts";
import { dayOf } from "../provider/dates.ts";
import type { Ids } from "../provider/ids.ts";
import type { Account, Checkout, Payment, RefundStatus } from "./state.ts";

/** What becomes of refunds. */
export interface RefundRules {
  outcome: RefundStatus;
}

/** What the parts of the provider work with. */
export interface AsaasDeps {
  readonly clock: BankClock;
  readonly ids: Ids;
  /** "two_decimals": 100.00; "shortest": 100. */
  readonly amountForm: "two_decimals" | "shortest";
  readonly refundRules: RefundRules;
  /** The address of its pages. */
  origin(): string;
  tellOfPayment(account: Account, event: string, payment: Payment): void;
  tellOfCheckout(account: Account, event: string, checkout: Checkout): void;
  /** Lets a stopped queue go on. */
  resume(webhookId: string): void;
}

export function today({ clock }: AsaasDeps): string {
  return dayOf(clock.now());
}
