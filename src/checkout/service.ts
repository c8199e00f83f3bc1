import type { ServiceImpl } from "@connectrpc/connect";
import type { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { newId } from "../../contract/ids.ts";
import { byTenant } from "../platform/sweep.ts";
import { ChargeChecks } from "./charge-checks.ts";
import { Charges } from "./charges.ts";
import { checkoutRpcs } from "./checkout-rpcs.ts";
import type { CheckoutDeps } from "./deps.ts";
import { Payments } from "./payments.ts";
import { findCharge, findDueCharges, takeDueCharges, type DueCharge } from "./repository.ts";
import { Sessions } from "./sessions.ts";
import { takenOf } from "./taken-receipt.ts";

const DUE_BATCH = 20;

/** The checkout room: its RPCs and background tasks. */
export class Checkouts {
  readonly #deps: CheckoutDeps;
  readonly #checks: ChargeChecks;
  readonly #sessions: Sessions;
  readonly rpcs: ServiceImpl<typeof CheckoutService>;

  constructor(deps: CheckoutDeps) {
    this.#deps = deps;
    const charges = new Charges(deps);
    this.#checks = new ChargeChecks({ ...deps, charges });
    this.#sessions = new Sessions(deps);
    const own = { ...deps, charges, checks: this.#checks, sessions: this.#sessions };
    this.rpcs = checkoutRpcs({ ...own, payments: new Payments(own) });
  }

  /** Checks the charges that are due, each on its own. Returns their number. */
  async checkCharges(mode: Mode): Promise<number> {
    const { environments, clock } = this.#deps;
    const faults: unknown[] = [];
    let checked = 0;
    const left = new Set<string>();
    for (let found = DUE_BATCH; found === DUE_BATCH;) {
      const now = new Date(clock.nowMs());
      const due = await findDueCharges(environments[mode], now, DUE_BATCH, [...left]);
      found = due.length;
      const taken: DueCharge[] = [];
      for (const [tenantId, own] of byTenant(due)) {
        const charges = await takeDueCharges(environments[mode], now, tenantId, own);
        taken.push(...charges);
        // Another worker has taken or locked them. If they were found again, they would hide the other tenants'
        // charges.
        if (charges.length === 0) left.add(tenantId);
      }
      checked += taken.length;
      for (const result of await Promise.allSettled(taken.map((charge) => this.#check(mode, charge)))) {
        if (result.status === "rejected") faults.push(result.reason);
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, "charges could not be looked after");
    return checked;
  }

  /**
   * Asks the provider about the charge of a reference that was made with this account. Returns false if there is no such
   * charge.
   */
  async refreshCharge(call: Call, accountId: string, reference: string): Promise<boolean> {
    const charge = await findCharge(this.#deps.environments[call.mode], call.tenantId, { reference });
    if (charge?.accountId !== accountId) return false;
    await this.#checks.refresh(call, charge);
    return true;
  }

  /** Returns those of a PIX provider's ids of money that payments or exceptions have. */
  async takenMoney({ mode, tenantId }: Call, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return await takenOf(this.#deps.environments[mode], tenantId, "pix", ids);
  }

  /** Removes sessions without a started payment, a day after their end. Returns the number of removed sessions. */
  async removePast(mode: Mode): Promise<number> {
    return await this.#sessions.removePast(mode);
  }

  async #check(mode: Mode, { tenantId, paymentId }: { tenantId: string; paymentId: string }): Promise<void> {
    const charge = await findCharge(this.#deps.environments[mode], tenantId, { paymentId });
    const requestId = newId("req");
    const caller = { tenantId, mode, requestId, idempotencyKey: undefined, audit: NO_ENTRY };
    if (charge) await this.#checks.check(caller, charge);
  }
}
