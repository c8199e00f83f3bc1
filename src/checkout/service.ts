import type { ServiceImpl } from "@connectrpc/connect";
import type { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Change } from "../platform/write/change.ts";
import { newId } from "../../contract/ids.ts";
import { byTenant } from "../platform/work/sweep.ts";
import { DueWork } from "../platform/work/due-work.ts";
import type { Asking } from "../providers/ports.ts";
import { isOutage } from "../providers/provider-fault.ts";
import { listReferences, listReferencesOfMoney, listReferencesOfUntaken } from "./account-references.ts";
import { ChargeChecks } from "./charge-checks.ts";
import { Charges } from "./charges.ts";
import { checkoutRpcs } from "./checkout-rpcs.ts";
import type { CheckoutDeps } from "./deps.ts";
import { erasePastPayers } from "./payer-retention.ts";
import { paymentCheckRpcs } from "./payment-check.ts";
import { Payments } from "./payments.ts";
import { dueCharges, findOverdueCharges, type DueCharge } from "./due-charges.ts";
import { removeRefusedCards } from "./refused-card-retention.ts";
import { findCharge } from "./repository.ts";
import { Sessions } from "./sessions.ts";
import { simulatedCharge, type SimulatedSuccess } from "./simulated-charge.ts";
import { takenOf, type NamedMoney } from "./taken-receipt.ts";
import { keepCallbackIds } from "./callback-charges.ts";

// The other connections of an account are for the payers that wait.
const CONCURRENCY = { ofAccount: 4 };
// A payer who waits for a code is served this soon after an outage.
const PAUSE_MS_MAX = 15_000;
const OVERDUE_BATCH = 20;

/** The checkout room: its RPCs and background tasks. */
export class Checkouts {
  readonly #deps: CheckoutDeps;
  readonly #checks: ChargeChecks;
  readonly #sessions: Sessions;
  readonly #work: Readonly<Record<Mode, DueWork<DueCharge>>>;
  readonly rpcs: ServiceImpl<typeof CheckoutService>;
  readonly ledgerRpcs: ReturnType<typeof paymentCheckRpcs>;

  constructor(deps: CheckoutDeps) {
    this.#deps = deps;
    const charges = new Charges(deps);
    this.#checks = new ChargeChecks({ ...deps, charges });
    this.#sessions = new Sessions(deps);
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
    const own = { ...deps, charges, checks: this.#checks, sessions: this.#sessions };
    this.rpcs = checkoutRpcs({ ...own, payments: new Payments(own) });
    this.ledgerRpcs = paymentCheckRpcs({ ...deps, refreshCharge: this.refreshCharge.bind(this) });
  }

  /** Checks the charges that are due, each on its own. Returns their number. Throws the faults of those that ended. */
  async checkCharges(mode: Mode): Promise<number> {
    const work = this.#work[mode];
    try {
      return await work.round();
    } finally {
      await this.#endOverdue(mode, work.failing);
    }
  }

  #workOf(mode: Mode): DueWork<DueCharge> {
    const { environments, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueCharges(environments[mode], clock),
      concurrency: CONCURRENCY,
      pauseMsMax: PAUSE_MS_MAX,
      run: async (charge) => await this.#check(mode, charge, true),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a charge could not be looked after"),
      failure: "charges could not be looked after",
    });
  }

  /** Ends payments whose time is over though their provider does not answer. */
  async #endOverdue(mode: Mode, accounts: readonly string[]): Promise<void> {
    if (accounts.length === 0) return;
    const { environments, clock } = this.#deps;
    const now = new Date(clock.nowMs());
    const due = await findOverdueCharges(environments[mode], now, OVERDUE_BATCH, accounts);
    const { take } = dueCharges(environments[mode], clock);
    for (const [tenantId, own] of byTenant(due)) {
      for (const charge of await take(tenantId, own)) {
        await this.#check(mode, charge, false);
      }
    }
  }

  /** Returns those of the references that charges made with this account have. */
  async referencesOf(
    { mode, tenantId }: Call,
    accountId: string,
    references: readonly string[],
  ): Promise<readonly string[]> {
    return await listReferences(this.#deps.environments[mode], { tenantId, accountId }, references);
  }

  /** Returns the references of the charges that were made with this account and have money of these ids. */
  async referencesOfMoney(
    { mode, tenantId }: Call,
    accountId: string,
    ids: readonly string[],
  ): Promise<readonly string[]> {
    return await listReferencesOfMoney(this.#deps.environments[mode], { tenantId, accountId }, ids);
  }

  /** Returns the references of this account's charges with these ids at the provider, whose money no payment has. */
  async referencesOfUntaken(
    { mode, tenantId }: Call,
    accountId: string,
    ids: readonly string[],
  ): Promise<readonly string[]> {
    return await listReferencesOfUntaken(this.#deps.environments[mode], { tenantId, accountId }, ids);
  }

  /**
   * Asks the provider about the charge of a reference that was made with this account, and about the ids that callbacks
   * named. Returns false if there is no such charge. Throws ProviderFault also if some of these ids could not be looked at.
   */
  async refreshCharge(
    call: Call,
    accountId: string | null,
    reference: string,
    { signal, callbackIds = [], isOfMoney, isPeriodic = false, isRepeated = false }: Asking = {},
  ): Promise<boolean> {
    const environment = this.#deps.environments[call.mode];
    const charge = await findCharge(environment, call.tenantId, { reference });
    if (!charge || (charge.accountId ?? null) !== accountId) return false;
    // What was withdrawn has no payer who waits.
    const isOfNoPayer = isPeriodic || charge.removedAt != null;
    const asking = { signal, callbackIds, isOfMoney, isPeriodic: isOfNoPayer, isRepeated };
    const { ids, fault } = await this.#checks.refresh(call, charge, asking);
    const isMore = await keepCallbackIds(environment, charge, ids, callbackIds);
    if (isMore) await this.refreshCharge(call, accountId, reference, { signal });
    if (callbackIds.length > 0 && fault !== null) throw fault;
    return true;
  }

  /** Returns the changes that give a simulated payment a paid charge. */
  async simulatedCharge(call: Pick<Call, "tenantId" | "mode">, success: SimulatedSuccess): Promise<Change[]> {
    return await simulatedCharge(this.#deps, call, success);
  }

  /** Returns the ids of that part of an account's money that payments or exceptions have. */
  async takenMoney(
    { mode, tenantId }: Call,
    accountId: string,
    money: readonly NamedMoney[],
  ): Promise<ReadonlySet<string>> {
    return await takenOf(this.#deps.environments[mode], { tenantId, accountId }, money);
  }

  /**
   * Removes sessions without a started payment, a day after their end, and erases payers' details and refused cards at
   * the end of their tenant's retention. Returns the number of removed sessions.
   */
  async removePast(mode: Mode): Promise<number> {
    const { environments, identity, clock } = this.#deps;
    const retentions = await identity.payerRetentions();
    await erasePastPayers(environments[mode], retentions, wholeSecond(clock));
    await removeRefusedCards(environments[mode], retentions, wholeSecond(clock));
    return await this.#sessions.removePast(mode);
  }

  async #check(mode: Mode, { tenantId, paymentId }: DueCharge, isAsked: boolean): Promise<void> {
    const charge = await findCharge(this.#deps.environments[mode], tenantId, { paymentId });
    const requestId = newId("req");
    const caller = { tenantId, mode, requestId, idempotencyKey: undefined, audit: NO_ENTRY };
    if (charge) await this.#checks.check(caller, charge, isAsked);
  }
}
