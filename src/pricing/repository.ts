import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { RowQuery } from "../platform/db/row-query.ts";
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
import { CURRENCIES, METHODS } from "./fee-rule.ts";

/** The tenant id of the platform's own rules, policies and rates. */
export const DEFAULT_TENANT = "default";

/** The records that a tenant's prices use, in the order of their times. */
export interface PricingRecords {
  readonly rules: readonly PricingRuleRow[];
  readonly policies: readonly FxPolicyRow[];
  readonly spot: FxSpotRow | null;
}

/** The rules and policies of one owner: a tenant, or DEFAULT_TENANT. */
export type OwnRecords = Pick<PricingRecords, "rules" | "policies">;

// A policy's own time may have come a moment ago by this clock and not yet by another, or by this one once it is set back.
const BEGUN_SECONDS = 86_400;

/**
 * Returns the newest version of each of an owner's rules, and the policy that is in force with those after it. Earlier versions
 * stay for what refers to them, without a bound, and no price is made by them any more.
 */
export async function findOwnRecords(
  { orm, pool }: Environment,
  tenantId: string,
  now: Date,
): Promise<OwnRecords> {
  const em = orm.em.fork();
  const { rows: rules } = await pool.query<Record<string, unknown>>({
    name: "own pricing rules",
    text: `SELECT rule.* FROM unnest($2::text[]) AS any_method, unnest($3::text[]) AS any_currency, LATERAL (
        SELECT * FROM pricing_rule r WHERE r.tenant_id = $1 AND r.method = any_method AND r.currency = any_currency
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1
      ) AS rule ORDER BY rule.created_at, rule.id`,
    values: [tenantId, METHODS, CURRENCIES],
  });
  const { rows: policies } = await pool.query<Record<string, unknown>>({
    name: "own policies",
    text: `WITH begun AS MATERIALIZED (
        SELECT valid_from, id FROM fx_policy WHERE tenant_id = $1 AND (valid_from = created_at OR valid_from <= $2)
        ORDER BY valid_from DESC, id DESC LIMIT 1
      )
      SELECT p.* FROM fx_policy p WHERE p.tenant_id = $1 AND (p.valid_from, p.id) >=
        (coalesce((SELECT valid_from FROM begun), '-infinity'), coalesce((SELECT id FROM begun), ''))
      ORDER BY p.valid_from, p.id`,
    values: [tenantId, secondsAfter(now, -BEGUN_SECONDS)],
  });
  return {
    rules: rules.map((row) => em.map(PricingRule, row)),
    policies: policies.map((row) => em.map(FxPolicy, row)),
  };
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

const QUOTE = new RowQuery(
  "quote with its price",
  { quote: Quote, price: PriceRow },
  `FROM quote JOIN price ON price.tenant_id = quote.tenant_id AND price.id = quote.price_id
    WHERE quote.tenant_id = $1 AND quote.id = $2`,
);
const PRICE = new RowQuery("price", { price: PriceRow }, "FROM price WHERE tenant_id = $1 AND id = $2");

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
  return await QUOTE.first(environment, [tenantId, id]);
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
  const found = await PRICE.first(environment, [tenantId, id]);
  if (!found) throw new Error(`there is no price ${id}`);
  return found.price;
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
