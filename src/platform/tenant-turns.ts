import { byTenant, type Found } from "./sweep.ts";

/** The places that are free for work. */
export interface FreePlaces<Row> {
  /** Of all tenants together. */
  readonly count: number;
  /** Maximum number of places of one tenant. */
  readonly ofTenantMax: number;
  /** The places that each tenant has already. */
  readonly held: ReadonlyMap<string, number>;
  readonly accountOf: (row: Row) => string;
  /** Returns the free places of an account. */
  readonly ofAccount: (account: string) => number;
}

/**
 * Returns the rows that get the free places: each goes to the tenant that has the fewest, and of that tenant's rows to
 * the first whose account has a place.
 */
export function inTurns<Row extends Found>(rows: readonly Row[], free: FreePlaces<Row>): Row[] {
  const held = new Map(free.held);
  const left = new Map<string, number>();
  const waiting = byTenant(rows.toReversed());
  const fitting: Row[] = [];
  while (fitting.length < free.count) {
    const tenantId = withFewest([...waiting.keys()], held);
    const count = held.get(tenantId ?? "") ?? 0;
    if (tenantId === undefined || count >= free.ofTenantMax) break;
    // The rows are reversed: the last is the first.
    const row = waiting.get(tenantId)?.pop();
    if (!row) {
      waiting.delete(tenantId);
      continue;
    }
    const account = free.accountOf(row);
    const places = left.get(account) ?? free.ofAccount(account);
    if (places <= 0) continue;
    left.set(account, places - 1);
    held.set(tenantId, count + 1);
    fitting.push(row);
  }
  return fitting;
}

function withFewest(tenants: readonly string[], held: ReadonlyMap<string, number>): string | undefined {
  const count = (tenantId: string): number => held.get(tenantId) ?? 0;
  return tenants.toSorted((one, other) => count(one) - count(other))[0];
}
