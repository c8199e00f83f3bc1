import type { Identity } from "../identity/service.ts";
import type { Overrides } from "../platform/time/business-days.ts";
import type { AnnouncedCache } from "../platform/db/cache.ts";
import type { Caller, Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { PriceBook } from "./price-book.ts";
import type { PricedIntent } from "./priced-intent.ts";
import type { LinksOfQuotes } from "./quotes.ts";

/** What the room needs. */
export interface PricingDeps {
  readonly clock: Clock;
  readonly cache: AnnouncedCache;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly identity: Identity;
  readonly operations: Operations;
  /** Reads an intent of the caller's tenant and mode. The ledger room provides it. */
  readonly pricedIntent: (caller: Caller, id: string) => Promise<PricedIntent | undefined>;
  /** Finds the links of quotes. The links room provides it. */
  readonly links: LinksOfQuotes;
  /** Returns what the tenant's accounts at providers can charge. */
  readonly accountLimits: (caller: Pick<Caller, "tenantId" | "mode">) => Promise<AccountLimits>;
  /** Reads the days on which banks differ from the national calendar. The ledger room provides it. */
  readonly findOverrides: (mode: Mode) => Promise<Overrides>;
}

/** Returns the price book of a tenant. */
export type BookOf = (mode: Mode, tenantId: string) => Promise<PriceBook>;
