import type { ServiceImpl } from "@connectrpc/connect";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { DueRow, DueWork } from "../platform/work/due-work.ts";
import { bankAccountRpcs } from "./bank-accounts.ts";
import { bankImportRpcs } from "./bank-imports.ts";
import { contractedFeeRpcs } from "./contracted-fees.ts";
import { dayRpcs } from "./days.ts";
import { decisionRpcs } from "./decisions.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { lineListRpcs } from "./line-lists.ts";
import { matchRpcs } from "./matches.ts";
import { payoutRpcs } from "./payouts.ts";
import { Reading } from "./reading.ts";
import { readNowRpc } from "./read-now.ts";
import { Run } from "./run.ts";
import { runWork } from "./run-work.ts";

// A caller waits for the matching of so many lines; that of more is the worker's.
const SOON_LINES = 2000;

/** The room of reconciliation: its RPCs and background tasks. */
export class Reconciliation {
  readonly #deps: ReconciliationDeps;
  readonly #reading: Reading;
  readonly #run: Run;
  readonly #runs: Readonly<Record<Mode, DueWork<DueRow>>>;
  readonly rpcs: ServiceImpl<typeof ReconciliationService>;

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps;
    this.#reading = new Reading(deps);
    this.#run = new Run(deps);
    this.#runs = { live: runWork(deps, "live", this.#run), test: runWork(deps, "test", this.#run) };
    const matchSoon = this.#matchSoon.bind(this);
    this.rpcs = {
      ...bankAccountRpcs(deps),
      ...bankImportRpcs(deps, matchSoon),
      ...lineListRpcs(deps),
      ...payoutRpcs(deps),
      ...contractedFeeRpcs(deps),
      ...dayRpcs(deps),
      ...matchRpcs(deps),
      ...decisionRpcs(deps, matchSoon),
      ...readNowRpc(deps),
    };
  }

  /** Reads the statements of accounts that are due. Returns their number. Throws the faults of those that ended. */
  async readDue(mode: Mode): Promise<number> {
    return await this.#reading.round(mode);
  }

  /** Reconciles the tenants where something is new, or a day has ended. Returns their number. Throws the faults of those that ended. */
  async matchDue(mode: Mode): Promise<number> {
    return await this.#runs[mode].round();
  }

  /** What fails here is the worker's to do again: the call has done its own part. */
  async #matchSoon(mode: Mode, tenantId: string, lineCount = 0): Promise<void> {
    if (lineCount > SOON_LINES) return;
    try {
      await this.#run.run(mode, tenantId);
    } catch (error) {
      this.#deps.log.error({ err: error, mode }, "a tenant could not be reconciled at once");
    }
  }
}
