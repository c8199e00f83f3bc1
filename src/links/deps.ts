import type { Identity } from "../identity/service.ts";
import type { Ledger } from "../ledger/service.ts";
import type { MediaRoom } from "../media/service.ts";
import type { Caller, Mode } from "../platform/rpc/caller.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { Pricing } from "../pricing/service.ts";
import type { LinkEventDeps } from "./link-events.ts";
import type { SimulationDeps } from "./simulation.ts";

/** What the room needs. */
export interface LinksDeps extends LinkEventDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly identity: Identity;
  readonly pricing: Pricing;
  readonly ledger: Ledger;
  /** Returns what the tenant's accounts at providers can charge. */
  readonly accountLimits: (caller: Pick<Caller, "tenantId" | "mode">) => Promise<AccountLimits>;
  readonly media: Pick<MediaRoom, "holdsAll">;
  /** The base of all media_urls, without a trailing slash. */
  readonly mediaBase: string;
  readonly simulatedCharge: SimulationDeps["simulatedCharge"];
}
