import type { LookupFunction } from "node:net";
import { TIME_LIMITS, type TimeLimits } from "./providers/connection.ts";
import { findOverrides } from "./ledger/settlement.ts";
import { allowedLookup, readOutsideUrl, type AddressPolicy } from "./platform/outside/outside-address.ts";
import type { PtaxConfig } from "./platform/config/outside-config.ts";
import { PtaxSource } from "./pricing/ptax-source.ts";
import { RateFeed } from "./pricing/rate-feed.ts";

/** The source of live rates. */
export type PtaxSettings = PtaxConfig & {
  /** Absent: 5 s to connect, and 30 s for the answer. */
  readonly limits?: TimeLimits;
};

type RateFeedDeps = Omit<
  ConstructorParameters<typeof RateFeed>[0],
  "source" | "maxAgeSeconds" | "findOverrides"
> & { readonly lookup: LookupFunction; readonly policy: AddressPolicy };

const ADDRESS = { param: "PTAX_URL", isHttpAllowed: true, refusal: "rates are not fetched there" };

/** Returns what fetches the live mode's rate from the central bank. */
export function ptaxFeed({ url, limits, maxAgeSeconds }: PtaxSettings, deps: RateFeedDeps): RateFeed {
  const { lookup, policy, ...rest } = deps;
  const guard = {
    check: (address: string) => readOutsideUrl(address, policy, ADDRESS),
    lookup: allowedLookup(lookup, policy),
  };
  return new RateFeed({
    ...rest,
    source: new PtaxSource({ ...TIME_LIMITS, ...limits, url, guard }),
    maxAgeSeconds,
    findOverrides: async () => await findOverrides(deps.environment.pool),
  });
}
