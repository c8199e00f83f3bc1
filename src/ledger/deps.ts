import type { Identity } from "../identity/service.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { RecordEvents } from "../webhooks/event.ts";

/** What the room needs. */
export interface LedgerDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly identity: Identity;
  readonly operations: Operations;
  readonly encryption: Encryption;
  /** Returns the changes that record an event and queue its deliveries. */
  readonly recordEvents: RecordEvents;
}
