import type { ServiceImpl } from "@connectrpc/connect";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { ReconciliationDeps } from "./deps.ts";

/** The room of reconciliation: its RPCs and background tasks. */
export class Reconciliation {
  readonly rpcs: ServiceImpl<typeof ReconciliationService>;

  constructor(deps: ReconciliationDeps) {
    const { operations } = deps;
    const pending = operations.run(async (): Promise<never> => {
      await Promise.resolve();
      throw new PaylinkError("service_unavailable", "This is not there yet.");
    });
    this.rpcs = {
      createBankAccount: pending,
      updateBankAccount: pending,
      listBankAccounts: pending,
      previewBankImport: pending,
      importBankFile: pending,
      listBankLines: pending,
      listStatementLines: pending,
      putContractedFees: pending,
      listContractedFees: pending,
      getReconciledDay: pending,
      listReconciledDays: pending,
      listMatches: pending,
      decide: pending,
      undoDecision: pending,
      readStatementsNow: pending,
    };
  }
}
