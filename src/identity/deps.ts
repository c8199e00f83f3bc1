import type { AnnouncedCache } from "../platform/cache.ts";
import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { KnownTenants } from "./known-tenants.ts";

/** What the RPCs of the room need. */
export interface IdentityDeps {
  readonly identity: Environment;
  readonly cache: AnnouncedCache;
  readonly clock: Clock;
  readonly tenants: KnownTenants;
}
