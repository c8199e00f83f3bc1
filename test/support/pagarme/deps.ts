import type { BankClock } from "../../../tools/bank/clock.ts";
import type { Ids } from "../provider/ids.ts";
import type { Account, Charge, Order, Outcome } from "./state.ts";

/** What becomes of refunds. */
export interface RefundRules {
  outcome: "done" | "pending" | "refused";
}

/** What the parts of the provider work with. */
export interface PagarmeDeps {
  readonly clock: BankClock;
  readonly ids: Ids;
  readonly refundRules: RefundRules;
  /** True: the code 05 is written 5. */
  readonly isZeroDropped: boolean;
  /** Returns what the next order comes to, if a test decides it. */
  decided(): Outcome | undefined;
  tellOfCharge(account: Account, event: string, charge: Charge): void;
  tellOfOrder(account: Account, event: string, order: Order): void;
}
