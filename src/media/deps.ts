import type { Identity } from "../identity/service.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { Quotas } from "../platform/config/limits-config.ts";
import type { MediaStorage } from "./storage.ts";

/** What the room needs. */
export interface MediaDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly identity: Pick<Identity, "ownerOf">;
  readonly mediaStorage: MediaStorage;
  /** The base of pictures' addresses, without a trailing slash. */
  readonly mediaBase: string;
  readonly quotas: Pick<Quotas, "pictures" | "pictureBytes">;
}
