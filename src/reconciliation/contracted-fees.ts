import type { ServiceImpl } from "@connectrpc/connect";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import { within } from "../platform/write/change.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { ContractedFee, type ContractedFeeRow } from "./entities.ts";
import { toContractedFee } from "./mapping.ts";

const INSERT = `INSERT INTO contracted_fee (tenant_id, account_id, number, kind, brand, installments_from, installments_to,
  percent_ppm, fixed_minor) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

type Rpcs = Pick<ServiceImpl<typeof ReconciliationService>, "putContractedFees" | "listContractedFees">;

/** The RPCs of what accounts have agreed with their providers. */
export function contractedFeeRpcs({ operations, accountsOf }: ReconciliationDeps): Rpcs {
  return {
    putContractedFees: operations.write({
      check: async ({ accountId, fees }, { mode, tenantId }) => {
        if (!(await accountsOf(mode, tenantId)).includes(accountId)) {
          throw invalidRequest("account_id", "There is no such provider account.");
        }
        for (const { brand } of fees) checkOwnText("fees", brand);
        if (fees.some(({ installmentsFrom, installmentsTo }) => installmentsFrom > installmentsTo)) {
          throw invalidRequest("fees", "installments_from of a fee is more than its installments_to.");
        }
      },
      decide: async ({ accountId, fees }, { tenantId }) => {
        const rows = fees.map(
          ({ kind, brand = null, installmentsFrom, installmentsTo, percentPpm, fixed }, number) => ({
            tenantId,
            accountId,
            number,
            kind,
            brand,
            installmentsFrom,
            installmentsTo,
            percentPpm,
            fixedMinor: fixed,
          }),
        );
        return await Promise.resolve({
          response: { fees: rows.map(toContractedFee) },
          changes: [
            within(async (client) => {
              await client.query(`DELETE FROM contracted_fee WHERE tenant_id = $1 AND account_id = $2`, [
                tenantId,
                accountId,
              ]);
              for (const row of rows) await client.query(INSERT, Object.values(row));
            }),
          ],
          audit: { objectId: accountId },
        });
      },
    }),
    listContractedFees: operations.run(async ({ accountId }, { tenantId, environment }) => ({
      fees: (await findFees(environment, tenantId))
        .filter((row) => row.accountId === accountId)
        .map(toContractedFee),
    })),
  };
}

/** Returns the contracted fees of a tenant's accounts, each account's in their order. */
export async function findFees({ orm }: Environment, tenantId: string): Promise<ContractedFeeRow[]> {
  return await orm.em
    .fork()
    .find(ContractedFee, { tenantId }, { orderBy: { accountId: "asc", number: "asc" } });
}
