import type { ServiceImpl } from "@connectrpc/connect";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { within } from "../platform/write/change.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { makeReadingDue, makeRunDue } from "./run-state.ts";

/** The RPC that makes all statements of a tenant due now. */
export function readNowRpc({
  operations,
  clock,
  accountsOf,
}: ReconciliationDeps): Pick<ServiceImpl<typeof ReconciliationService>, "readStatementsNow"> {
  return {
    readStatementsNow: operations.write({
      decide: async (_, { tenantId, mode }) => {
        const accounts = await accountsOf(mode, tenantId);
        return {
          response: { accountCount: accounts.length },
          changes: [
            within(async (client) => {
              for (const id of accounts) await makeReadingDue(client, clock, tenantId, id);
              await makeRunDue(client, clock, tenantId, null);
            }),
          ],
          audit: { objectId: "" },
        };
      },
    }),
  };
}
