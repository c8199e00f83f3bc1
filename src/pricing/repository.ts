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

/** The tenant id under which the platform's own rules, policies and rates stand. */
export const DEFAULT_TENANT = "default";

/** Everything that a tenant's prices are made from, oldest version first. */
export interface PricingRecords {
  readonly rules: readonly PricingRuleRow[];
  readonly policies: readonly FxPolicyRow[];
  readonly spot: FxSpotRow | null;
}

export async function findPricingRecords(
  environment: Environment,
  tenantId: string,
): Promise<PricingRecords> {
  const em = environment.orm.em.fork();
  const owners = { tenantId: { $in: [DEFAULT_TENANT, tenantId] } };
  const rules = await em.find(PricingRule, owners, { orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
  const policies = await em.find(FxPolicy, owners, { orderBy: [{ validFrom: "asc" }, { id: "asc" }] });
  const [spot] = await em.find(
    FxSpot,
    { tenantId: DEFAULT_TENANT },
    { orderBy: [{ publishedAt: "desc" }, { id: "desc" }], limit: 1 },
  );
  return { rules, policies, spot: spot ?? null };
}

export async function findQuote(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<{ quote: QuoteRow; price: PriceValues } | undefined> {
  const em = environment.orm.em.fork();
  const quote = await em.findOne(Quote, { tenantId, id });
  return quote
    ? { quote, price: await em.findOneOrFail(PriceRow, { tenantId, id: quote.priceId }) }
    : undefined;
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

/** Numbers for FX locks, taken from the database a block at a time, so that a lock is numbered before it is written. */
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
      // Another caller may have taken a block meanwhile: the newer one is used, the rest of the older is lost.
      this.#next = (BigInt(rows[0]?.block ?? 0) - 1n) * BLOCK_SIZE + 1n;
      this.#end = this.#next + BLOCK_SIZE;
    }
    return this.#next++;
  }
}
