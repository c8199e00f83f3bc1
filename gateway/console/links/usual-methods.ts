import { ProviderKind } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { isActive } from "../providers/views.ts";
import type { Visit } from "../visit.ts";

type Method = "pix" | "card";

/**
 * Returns the methods of a new link that a person makes: PIX, and cards where they are contracted. In live mode an
 * account has to charge by card, for a payer would be offered what no one can take.
 */
export async function usualMethods(visit: Visit): Promise<readonly Method[]> {
  const { core, as, mode, tenantId, accounts } = visit;
  const takesCards =
    mode === "test" || accounts.some((account) => isActive(account) && account.kind === ProviderKind.CARD);
  if (!takesCards) return ["pix"];
  const { tenant } = await core.identity.getTenant({ tenantId }, as);
  const contracted = (["pix", "card"] as const).filter((method) => tenant?.paymentMethods.includes(method));
  return contracted.length === 0 ? ["pix"] : contracted;
}
