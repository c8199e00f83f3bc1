import type { Mode } from "../platform/rpc/caller.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Change } from "../platform/write/change.ts";
import type { BalanceBlock } from "../providers/ports.ts";
import { closeBlocks, noteBlock } from "./blocks.ts";
import type { ReceivablesDeps } from "./deps.ts";
import { findReceivablesStanding, type ReceivablesStanding } from "./overdue.ts";
import { Reading } from "./reading.ts";
import { disputeRpcs, receivableRpcs } from "./receivable-rpcs.ts";

/** The room of what card providers owe: its RPCs, and its background task. */
export class Receivables {
  readonly #deps: ReceivablesDeps;
  readonly #reading: Reading;
  readonly rpcs: ReturnType<typeof receivableRpcs>;
  readonly disputeRpcs: ReturnType<typeof disputeRpcs>;

  constructor(deps: ReceivablesDeps) {
    this.#deps = deps;
    this.#reading = new Reading(deps);
    this.rpcs = receivableRpcs(deps);
    this.disputeRpcs = disputeRpcs(deps);
  }

  /** Returns what needs a person. */
  async standing(mode: Mode): Promise<ReceivablesStanding> {
    const { environments, clock } = this.#deps;
    return await findReceivablesStanding(environments[mode], clock.nowMs());
  }

  /** Returns the changes that keep what a callback tells of a PIX payment's money that its provider holds back. */
  async noteBlock(call: Call, accountId: string, block: BalanceBlock): Promise<Change[]> {
    return await noteBlock(this.#deps, call, accountId, block);
  }

  /** Ends the disputes of a PIX payment whose money went back, or is free again. */
  async closeBlocks(call: Call, of: Parameters<typeof closeBlocks>[2]): Promise<void> {
    await closeBlocks(this.#deps, call, of);
  }

  /** Reads the money of paid card charges that are due. Returns their number. Throws the faults of those that ended. */
  async readDue(mode: Mode): Promise<number> {
    return await this.#reading.round(mode);
  }
}
