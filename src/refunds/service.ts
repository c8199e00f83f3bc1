import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { DueWork } from "../platform/work/due-work.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import { isOutage } from "../providers/provider-fault.ts";
import { newId } from "../../contract/ids.ts";
import { Answers } from "./answers.ts";
import { Asking } from "./asking.ts";
import type { RefundsDeps } from "./deps.ts";
import { refundRpcs } from "./refund-rpcs.ts";
import { refundByItself } from "./exception-refunds.ts";
import { dueExceptions, dueRefunds, hasReturns, type DueException, type DueRefund } from "./repository.ts";
import { Returns } from "./returns.ts";

const CONCURRENCY = { ofAccount: 4 };

/** The refunds room: its RPCs, its background tasks, and what other rooms report to it. */
export class Refunds {
  readonly #deps: RefundsDeps;
  readonly #asking: Asking;
  readonly #returns: Returns;
  readonly #work: Readonly<Record<Mode, DueWork<DueRefund>>>;
  readonly #exceptions: Readonly<Record<Mode, DueWork<DueException>>>;
  readonly rpcs: ReturnType<typeof refundRpcs>;

  constructor(deps: RefundsDeps) {
    this.#deps = deps;
    const answers = new Answers(deps);
    this.#asking = new Asking(deps, answers);
    this.#returns = new Returns(deps, answers);
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
    this.#exceptions = { live: this.#exceptionsOf("live"), test: this.#exceptionsOf("test") };
    this.rpcs = refundRpcs({ ...deps, asking: this.#asking });
  }

  /** Records what a provider reports of a payment's money that went back. A repeated report is recorded once. */
  async recordReturns(call: Call, paymentId: string, returns: readonly ProviderReturn[]): Promise<void> {
    await this.#returns.record(call, paymentId, returns);
  }

  /** Returns true if money of a payment or of its exceptions went back by its provider's decision, and did not come back. */
  async hasReturns({ tenantId, mode }: Call, paymentId: string): Promise<boolean> {
    return await hasReturns(this.#deps.environments[mode], tenantId, paymentId);
  }

  /** Asks providers about the refunds that are due, each on its own. Returns their number. Throws the faults of those that ended. */
  async checkRefunds(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  /** Gives back by itself what came late or twice, where the tenant's setting says so. Returns the number of exceptions. */
  async refundExceptions(mode: Mode): Promise<number> {
    return await this.#exceptions[mode].round();
  }

  #exceptionsOf(mode: Mode): DueWork<DueException> {
    const { environments, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueExceptions(environments[mode], clock),
      concurrency: CONCURRENCY,
      run: async (due) => await refundByItself(this.#deps, mode, due),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "an exception could not be given back"),
      failure: "exceptions could not be given back",
    });
  }

  #workOf(mode: Mode): DueWork<DueRefund> {
    const { environments, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueRefunds(environments[mode], clock),
      concurrency: CONCURRENCY,
      run: async (refund) => await this.#check(mode, refund),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a refund could not be looked after"),
      failure: "refunds could not be looked after",
    });
  }

  async #check(mode: Mode, { tenantId, id }: DueRefund): Promise<void> {
    const call = { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
    await this.#asking.ask(call, id, true);
  }
}
