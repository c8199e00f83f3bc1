import type { AnnouncedCache } from "../platform/db/cache.ts";
import type { Quotas } from "../platform/config/limits-config.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Databases } from "../platform/db/databases.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { RoleOf } from "../platform/rpc/grants.ts";
import type { KnownTenants } from "./known-tenants.ts";

/** What the RPCs of the room need. */
export interface IdentityDeps {
  readonly identity: Environment;
  readonly cache: AnnouncedCache;
  readonly clock: Clock;
  readonly tenants: KnownTenants;
  /** The roles of users, which bound what they give. */
  readonly roleOf: RoleOf;
  readonly quotas: Pick<Quotas, "apiKeys">;
  /** All schemas: a rotation of the data key encrypts every room's secrets again. */
  readonly databases: Databases;
  readonly encryption: Encryption;
}
