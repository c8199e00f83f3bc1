import { HEADERS } from "../../../contract/headers.ts";
import { IdentityService } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { ReconciliationService } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { coreClient, tenantClient, type CoreClient } from "../../core/client.ts";
import type { TenantChoice } from "../../output/options.ts";

const MODES = ["live", "test"] as const;

/**
 * Returns a client for the tenant and mode of a bank account: the given ones, else those that have it, for which all
 * tenants are looked through. That is the operator's: a token of one tenant may not list them. Throws Error if none has it.
 */
export async function bankAccountClient(
  accountId: string,
  { tenant, mode }: Partial<TenantChoice>,
): Promise<CoreClient<typeof ReconciliationService>> {
  if (tenant !== undefined && mode !== undefined) {
    return await tenantClient(ReconciliationService, { tenant, mode });
  }
  const { client, options } = await coreClient(ReconciliationService);
  for (const tenantId of tenant === undefined ? await tenantIds() : [tenant]) {
    for (const each of mode === undefined ? MODES : [mode]) {
      const own = { headers: { ...options.headers, [HEADERS.tenant]: tenantId, [HEADERS.mode]: each } };
      const { bankAccounts } = await client.listBankAccounts({}, own);
      if (bankAccounts.some(({ id }) => id === accountId)) return { client, options: own };
    }
  }
  throw new Error(
    `There is no bank account ${accountId}: \`paylink bank accounts list\` has those of a tenant.`,
  );
}

async function tenantIds(): Promise<string[]> {
  const { client, options } = await coreClient(IdentityService);
  return (await client.listTenants({}, options)).tenants.map(({ id }) => id);
}
