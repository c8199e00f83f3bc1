import { findCharge } from "../checkout/repository.ts";
import { newId } from "../../contract/ids.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { DueWork } from "../platform/work/due-work.ts";
import type { SettlementFacts } from "../providers/card-port.ts";
import { isOutage } from "../providers/provider-fault.ts";
import { checkAfterFault, nextCheck } from "./check-times.ts";
import type { ReceivablesDeps } from "./deps.ts";
import { firstDueOn } from "./facts.ts";
import { record } from "./recording.ts";
import { dueSettlements, setNextCheck, type DueSettlement } from "./repository.ts";

// The other connections of an account are for payers and refunds.
const CONCURRENCY = { ofAccount: 2 };
// A provider whose answer cannot be right is asked again then.
const WRONG_SECONDS = 86_400;
const NOTHING: SettlementFacts = { installments: [], disputes: [] };

/** Asks providers what became of the money of paid card charges, outside of any transaction, and records it. */
export class Reading {
  readonly #deps: ReceivablesDeps;
  readonly #work: Readonly<Record<Mode, DueWork<DueSettlement>>>;

  constructor(deps: ReceivablesDeps) {
    this.#deps = deps;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Reads the money of the charges that are due, each on its own. Returns their number. Throws the faults of those that ended. */
  async round(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): DueWork<DueSettlement> {
    const { environments, clock, log } = this.#deps;
    const now = (): Date => new Date(clock.nowMs());
    return new DueWork({
      clock,
      rows: dueSettlements(environments[mode], clock),
      concurrency: CONCURRENCY,
      run: async (due) => {
        try {
          await this.#read(mode, due);
        } catch (error) {
          const next = checkAfterFault(error, now());
          if (next) await setNextCheck(environments[mode], due, next);
          throw error;
        }
      },
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "money of a card could not be looked after"),
      failure: "money of cards could not be looked after",
    });
  }

  async #read(mode: Mode, due: DueSettlement): Promise<void> {
    const { tenantId, paymentId } = due;
    const { environments, clock, providers } = this.#deps;
    const environment = environments[mode];
    const charge = await findCharge(environment, tenantId, { paymentId });
    const providerPaymentId = charge?.providerPaymentId ?? null;
    // The sandbox has no accounts.
    if (!charge || (charge.accountId == null && mode === "live") || providerPaymentId === null) return;
    const call = { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
    const now = new Date(clock.nowMs());
    const { card } = await providers[mode].ofAccount(call, charge.accountId ?? "");
    const reported = (await card?.settlementFacts?.(providerPaymentId)) ?? NOTHING;
    const isRight = await record(this.#deps, call, charge, reported);
    const next = isRight
      ? nextCheck(reported, charge.paidAt ?? charge.createdAt, now)
      : secondsAfter(now, WRONG_SECONDS);
    const dueOn = isRight && reported.installments.length > 0 ? firstDueOn(reported.installments) : undefined;
    await setNextCheck(environment, due, next, dueOn);
  }
}
