import type { Overrides } from "../platform/time/business-days.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { PricingDeps } from "./deps.ts";
import { PriceBook } from "./price-book.ts";
import {
  DEFAULT_TENANT,
  findNewestSpot,
  findOwnRecords,
  listPricedTenants,
  type OwnRecords,
  type PricingRecords,
} from "./repository.ts";

/** What all tenants of a mode share. */
interface Shared {
  readonly records: PricingRecords;
  readonly overrides: Overrides;
  /** The book of each tenant without rules and policies of its own. */
  readonly book: PriceBook;
  readonly pricedTenants: ReadonlySet<string>;
}

/** Returns what announces a change of prices of a mode; of a tenant that has rules or policies of its own, of these alone. */
export function topicOf(mode: Mode, tenantId?: string): string {
  return tenantId === undefined ? `pricing:${mode}` : `pricing:${mode}:${tenantId}`;
}

/** The price books in force. Tenants without rules of their own have one together, so that each is no read and no memory. */
export class PriceBooks {
  readonly #deps: Pick<PricingDeps, "clock" | "cache" | "environments" | "findOverrides">;

  constructor(deps: Pick<PricingDeps, "clock" | "cache" | "environments" | "findOverrides">) {
    this.#deps = deps;
  }

  /** Returns the price book of a tenant. */
  async of(mode: Mode, tenantId: string): Promise<PriceBook> {
    const { cache, clock, environments } = this.#deps;
    const topic = topicOf(mode);
    const shared = await cache.get(topic, async () => await this.#shared(mode));
    if (!shared.pricedTenants.has(tenantId)) return shared.book;
    // Kept apart from what is shared: that may have been read before a change which the tenant's own were read after.
    const own = await cache.get(
      topicOf(mode, tenantId),
      async () => await findOwnRecords(environments[mode], tenantId, wholeSecond(clock)),
    );
    return bookOf(shared, own);
  }

  async #shared(mode: Mode): Promise<Shared> {
    const environment = this.#deps.environments[mode];
    const overrides = await this.#deps.findOverrides(mode);
    const own = await findOwnRecords(environment, DEFAULT_TENANT, wholeSecond(this.#deps.clock));
    const records = { ...own, spot: await findNewestSpot(environment) };
    const pricedTenants = await listPricedTenants(environment);
    return { records, overrides, book: new PriceBook(records, overrides), pricedTenants };
  }
}

/** The books of tenants with their own rules, by what they are made from: a new one where either was read anew. */
const books = new WeakMap<Shared, WeakMap<OwnRecords, PriceBook>>();

function bookOf(shared: Shared, own: OwnRecords): PriceBook {
  const ofShared = books.get(shared) ?? new WeakMap<OwnRecords, PriceBook>();
  books.set(shared, ofShared);
  const known = ofShared.get(own);
  if (known) return known;
  const { rules, policies, spot } = shared.records;
  const all = { rules: [...rules, ...own.rules], policies: [...policies, ...own.policies], spot };
  const book = new PriceBook(all, shared.overrides);
  ofShared.set(own, book);
  return book;
}
