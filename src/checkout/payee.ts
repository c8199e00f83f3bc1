import type { Identity } from "../identity/service.ts";
import type { PaymentLinkRow } from "../links/entities.ts";

/** Returns the name of a link's payee. */
export async function payeeName(
  identity: Identity,
  { tenantId, legalEntityId }: Pick<PaymentLinkRow, "tenantId" | "legalEntityId">,
): Promise<string> {
  const { tenant, legalEntities } = await identity.settingsOf(tenantId);
  return legalEntities.find(({ id }) => id === legalEntityId)?.name ?? tenant.name;
}
