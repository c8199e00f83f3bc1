import type { ServiceImpl } from "@connectrpc/connect";
import type { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { toPaymentState } from "../ledger/mapping.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { wholeSecond } from "../platform/clock.ts";
import type { FaultLog } from "../platform/error-interceptor.ts";
import { PaylinkError } from "../platform/errors.ts";
import { isId, newId } from "../../contract/ids.ts";
import type { Encryption } from "../platform/encryption.ts";
import { byTenant } from "../platform/sweep.ts";
import { dateOf } from "../platform/timestamps.ts";
import { WorkByAccount } from "../platform/work-by-account.ts";
import { isOutage } from "../providers/provider-fault.ts";
import type { ChargesDeps } from "./charge-state.ts";
import { ChargeChecks } from "./charge-checks.ts";
import { Charges } from "./charges.ts";
import { toException, toPayerDetails } from "./mapping.ts";
import type { Payer } from "./payer-details.ts";
import { paymentNotFound, Payments } from "./payments.ts";
import { listExceptions } from "./exceptions.ts";
import {
  findCharge,
  findDueCharges,
  findOverdueCharges,
  takeDueCharges,
  type DueCharge,
} from "./repository.ts";
import { Sessions, type SessionsDeps } from "./sessions.ts";
import { payerOwner } from "./start-payment.ts";
import { takenOf } from "./taken-receipt.ts";

// Only links and references have an owner; an id of another form has none.
const ROUTED = /^(pl_)?[0-9A-Za-z]+$/;
const EXCEPTIONS_DEFAULT = 20;
// The other connections of an account are for the payers that wait.
const PLACES = 4;
const OVERDUE_BATCH = 20;

export interface CheckoutDeps extends ChargesDeps, SessionsDeps {
  readonly encryption: Encryption;
  readonly log: FaultLog;
}

interface OnLink {
  readonly linkId: string;
}

/** The checkout room: its RPCs and background tasks. */
export class Checkouts {
  readonly #deps: CheckoutDeps;
  readonly #charges: Charges;
  readonly #checks: ChargeChecks;
  readonly #sessions: Sessions;
  readonly #payments: Payments;
  readonly #work: Readonly<Record<Mode, WorkByAccount<DueCharge>>>;
  readonly rpcs: ServiceImpl<typeof CheckoutService>;

  constructor(deps: CheckoutDeps) {
    this.#deps = deps;
    this.#charges = new Charges(deps);
    this.#checks = new ChargeChecks({ ...deps, charges: this.#charges });
    this.#sessions = new Sessions(deps);
    this.#payments = new Payments({
      ...deps,
      charges: this.#charges,
      checks: this.#checks,
      sessions: this.#sessions,
    });
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
    this.rpcs = this.#rpcs();
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

  #workOf(mode: Mode): WorkByAccount<DueCharge> {
    const { environments, clock, log } = this.#deps;
    const now = (): Date => new Date(clock.nowMs());
    return new WorkByAccount({
      clock,
      places: PLACES,
      find: async (limit, except) => await findDueCharges(environments[mode], now(), limit, except),
      take: async (tenantId, due) => await takeDueCharges(environments[mode], now(), tenantId, due),
      idOf: ({ paymentId }) => paymentId,
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
    for (const [tenantId, own] of byTenant(due)) {
      for (const charge of await takeDueCharges(environments[mode], now, tenantId, own)) {
        await this.#check(mode, charge, false);
      }
    }
  }

  /**
   * Asks the provider about the charge of a reference that was made with this account. Returns false if there is no such
   * charge.
   */
  async refreshCharge(
    call: Call,
    accountId: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const charge = await findCharge(this.#deps.environments[call.mode], call.tenantId, { reference });
    if (charge?.accountId !== accountId) return false;
    await this.#checks.refresh(call, charge, signal);
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

  async #check(mode: Mode, { tenantId, paymentId }: DueCharge, isAsked: boolean): Promise<void> {
    const charge = await findCharge(this.#deps.environments[mode], tenantId, { paymentId });
    const requestId = newId("req");
    const caller = { tenantId, mode, requestId, idempotencyKey: undefined, audit: NO_ENTRY };
    if (charge) await this.#checks.check(caller, charge, isAsked);
  }

  #rpcs(): ServiceImpl<typeof CheckoutService> {
    const { operations, clock } = this.#deps;
    const findOwner = async ({ linkId }: OnLink) => await this.#ownerOf(linkId, "payment_link_not_found");
    return {
      getCheckout: operations.run(
        async ({ linkId, sessionId }, caller) => await this.#sessions.view(linkId, sessionId, caller),
        findOwner,
      ),
      openSession: operations.write({
        findOwner,
        decide: async ({ linkId }, caller) =>
          await this.#sessions.decideOpening(linkId, caller, caller.environment),
      }),
      startPayment: operations.run(
        async (request, caller) => await this.#payments.start(request, caller),
        findOwner,
      ),
      refreshPayment: operations.run(async ({ linkId, sessionId }, caller) => {
        const { earlier } = await this.#sessions.find(linkId, sessionId, caller);
        if (earlier) await this.#checks.refresh(caller, earlier.charge);
        return {};
      }, findOwner),
      simulateProvider: operations.run(async ({ linkId, sessionId, action }, caller) => {
        await this.#payments.simulate(linkId, sessionId, action, caller);
        return {};
      }, findOwner),
      recordReceipt: operations.run(
        async ({ reference, providerPaymentId, amount, paidAt }, caller) => {
          const charge = await findCharge(caller.environment, caller.tenantId, { reference });
          if (!charge) throw paymentNotFound();
          const now = wholeSecond(clock);
          const given = paidAt ? dateOf(paidAt) : now;
          const receipt = { providerPaymentId, amountMinor: amount, paidAt: given < now ? given : now };
          const { payment, exceptionId } = await this.#charges.receive(
            caller,
            charge.paymentId,
            receipt,
            true,
          );
          const { status } = toPaymentState(payment);
          return { paymentId: payment.id, status, exceptionId: exceptionId ?? undefined };
        },
        async ({ reference }) => await this.#ownerOf(reference, "payment_not_found"),
      ),
      listPaymentExceptions: operations.run(async ({ limit = EXCEPTIONS_DEFAULT }, caller) => {
        const rows = await listExceptions(caller.environment, caller.tenantId, limit);
        const exceptions = rows.map(async (row) => {
          const payment = await this.#deps.ledger.payment(caller, row.paymentId);
          return toException(row, payment?.linkId ?? "");
        });
        return { exceptions: await Promise.all(exceptions) };
      }),
      listCheckoutSessions: operations.run(
        async (request, caller) => await this.#sessions.page(request, caller, caller.environment),
      ),
      getPayerDetails: operations.show(async ({ paymentId }, { tenantId, environment }) => {
        const charge = isId("pay", paymentId) ? await findCharge(environment, tenantId, { paymentId }) : null;
        if (!charge) throw paymentNotFound();
        const { sealedPayer } = charge;
        const text = sealedPayer && (await this.#deps.encryption.decrypt(sealedPayer, payerOwner(paymentId)));
        const payer = toPayerDetails(text ? (JSON.parse(text) as Payer) : null);
        return { response: { payer }, audit: text ? { objectId: paymentId } : null };
      }),
    };
  }

  /** Returns the owner of the link or reference. */
  async #ownerOf(
    id: string,
    code: "payment_link_not_found" | "payment_not_found",
  ): Promise<{ tenantId: string; mode: Mode }> {
    const owner = ROUTED.test(id) ? await this.#deps.identity.ownerOf(id) : null;
    if (!owner) throw new PaylinkError(code, "There is nothing of this id.");
    return owner;
  }
}
