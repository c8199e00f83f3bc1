import type { Environment } from "../platform/database.ts";
import {
  FxPolicy,
  FxSpot,
  PriceRow,
  PricingRule,
  Quote,
  SigningKey,
  type FxPolicyRow,
  type FxSpotRow,
  type PriceValues,
  type PricingRuleRow,
  type QuoteRow,
} from "./entities.ts";

/** The tenant id of the platform's own rules, policies and rates. */
export const DEFAULT_TENANT = "default";

/** The records that a tenant's prices use, oldest version first. */
export interface PricingRecords {
  readonly rules: readonly PricingRuleRow[];
  readonly policies: readonly FxPolicyRow[];
  readonly spot: FxSpotRow | null;
}

/** The rules and policies of one owner: a tenant, or DEFAULT_TENANT. */
export type OwnRecords = Pick<PricingRecords, "rules" | "policies">;

export async function findOwnRecords({ orm }: Environment, tenantId: string): Promise<OwnRecords> {
  const em = orm.em.fork();
  const rules = await em.find(PricingRule, { tenantId }, { orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
  const policies = await em.find(FxPolicy, { tenantId }, { orderBy: [{ validFrom: "asc" }, { id: "asc" }] });
  return { rules, policies };
}

/** Returns the tenants that have rules or policies of their own. */
export async function listPricedTenants({ pool }: Environment): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ tenantId: string }>({
    name: "list priced tenants",
    text: `SELECT tenant_id AS "tenantId" FROM pricing_rule WHERE tenant_id <> $1
      UNION SELECT tenant_id FROM fx_policy WHERE tenant_id <> $1`,
    values: [DEFAULT_TENANT],
  });
  return new Set(rows.map(({ tenantId }) => tenantId));
}

/** Returns the newest spot rate of any source, however old. */
export async function findNewestSpot({ orm }: Environment): Promise<FxSpotRow | null> {
  const [spot] = await orm.em
    .fork()
    .find(
      FxSpot,
      { tenantId: DEFAULT_TENANT },
      { orderBy: [{ publishedAt: "desc" }, { id: "desc" }], limit: 1 },
    );
  return spot ?? null;
}

/** A quote with its price. */
export interface PricedQuote {
  readonly quote: QuoteRow;
  readonly price: PriceValues;
}

export async function findQuote(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PricedQuote | undefined> {
  const em = environment.orm.em.fork();
  const quote = await em.findOne(Quote, { tenantId, id });
  return quote
    ? { quote, price: await em.findOneOrFail(PriceRow, { tenantId, id: quote.priceId }) }
    : undefined;
}

/** Returns the quotes with their prices, in the given order. */
export async function findPrices(
  { orm }: Environment,
  tenantId: string,
  quotes: readonly QuoteRow[],
): Promise<PricedQuote[]> {
  const ids = quotes.map(({ priceId }) => priceId);
  const prices = await orm.em.fork().find(PriceRow, { tenantId, id: { $in: ids } });
  const priceOf = new Map(prices.map((price) => [price.id, price]));
  return quotes.flatMap((quote) => {
    const price = priceOf.get(quote.priceId);
    return price ? [{ quote, price }] : [];
  });
}

export async function findPrice(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PriceValues> {
  return await environment.orm.em.fork().findOneOrFail(PriceRow, { tenantId, id });
}

export async function listSigningKeys(
  environment: Environment,
): Promise<{ id: string; privateJwk: Record<string, string> }[]> {
  return await environment.orm.em
    .fork()
    .find(SigningKey, { tenantId: DEFAULT_TENANT }, { orderBy: { id: "asc" } });
}

const BLOCK_SIZE = 100n;

/**
 * Numbers for FX locks. They are taken from the database in blocks, so that a lock has its number before it is written.
 */
export class RateHistoryIds {
  readonly #environment: Environment;
  #next = 0n;
  #end = 0n;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async next(): Promise<bigint> {
    while (this.#next >= this.#end) {
      const { rows } = await this.#environment.pool.query<{ block: string }>({
        name: "fx rate history block",
        text: "SELECT nextval('fx_rate_history_block') AS block",
      });
      // Another caller may have taken a block meanwhile: the newer block is used, and the rest of the older one is
      // lost.
      this.#next = (BigInt(rows[0]?.block ?? 0) - 1n) * BLOCK_SIZE + 1n;
      this.#end = this.#next + BLOCK_SIZE;
    }
    return this.#next++;
  }
}
