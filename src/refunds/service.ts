import type { ServiceImpl } from "@connectrpc/connect";
import type { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { byTenant } from "../platform/sweep.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import { newId } from "../../contract/ids.ts";
import { Answers } from "./answers.ts";
import { Asking } from "./asking.ts";
import type { RefundsDeps } from "./deps.ts";
import { refundRpcs } from "./refund-rpcs.ts";
import { findDueRefunds, takeDueRefunds, type DueRefund } from "./repository.ts";
import { Returns } from "./returns.ts";

const DUE_BATCH = 20;

/** The refunds room: its RPCs, its background task, and what other rooms report to it. */
export class Refunds {
  readonly #deps: RefundsDeps;
  readonly #asking: Asking;
  readonly #returns: Returns;
  readonly rpcs: ServiceImpl<typeof RefundsService>;

  constructor(deps: RefundsDeps) {
    this.#deps = deps;
    const answers = new Answers(deps);
    this.#asking = new Asking(deps, answers);
    this.#returns = new Returns(deps, answers);
    this.rpcs = refundRpcs({ ...deps, asking: this.#asking });
  }

  /** Records what a provider reports of a payment's money that went back. A repeated report is recorded once. */
  async recordReturns(call: Call, paymentId: string, returns: readonly ProviderReturn[]): Promise<void> {
    await this.#returns.record(call, paymentId, returns);
  }

  /** Asks providers about the refunds that are due, each on its own. Returns their number. */
  async checkRefunds(mode: Mode): Promise<number> {
    const environment = this.#deps.environments[mode];
    const faults: unknown[] = [];
    let checked = 0;
    const left = new Set<string>();
    for (let found = DUE_BATCH; found === DUE_BATCH;) {
      const now = new Date(this.#deps.clock.nowMs());
      const due = await findDueRefunds(environment, now, DUE_BATCH, [...left]);
      found = due.length;
      const taken: DueRefund[] = [];
      for (const [tenantId, own] of byTenant(due)) {
        const refunds = await takeDueRefunds(environment, now, tenantId, own);
        taken.push(...refunds);
        // Another worker has taken or locked them. If they were found again, they would hide other tenants' refunds.
        if (refunds.length === 0) left.add(tenantId);
      }
      checked += taken.length;
      for (const result of await Promise.allSettled(taken.map((one) => this.#check(mode, one)))) {
        if (result.status === "rejected") faults.push(result.reason);
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, "refunds could not be looked after");
    return checked;
  }

  async #check(mode: Mode, { tenantId, id }: DueRefund): Promise<void> {
    const call = { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
    await this.#asking.ask(call, id, true);
  }
}
