import { invalidRequest } from "../platform/rpc/errors.ts";
import type { TenantRow } from "./entities.ts";

/** Returns the N of a term D+N. */
export function termDays(term: string): number {
  return Number(term.slice("D+".length));
}

/** Requires that a payment intent's own term is not below the tenant's least. Error: invalid_request on `param`. */
export function requireLeastSettlementTerm(
  { leastSettlementDays: least }: TenantRow,
  term: string,
  param: "settlement_term" | "payment_intent_id",
): void {
  if (termDays(term) >= least) return;
  throw invalidRequest(param, `The settlement term must be at least D+${least}, which the operator has set.`);
}

/** Requires the same of the tenant's own term. Error: invalid_request on settlement_days. */
export function requireSettlementDays({ settlementDays, leastSettlementDays: least }: TenantRow): void {
  if (settlementDays >= least) return;
  const message = `settlement_days must be at least ${least}, which is least_settlement_days.`;
  throw invalidRequest("settlement_days", message);
}
