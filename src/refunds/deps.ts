import type { Identity } from "../identity/service.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { ProviderDirectory } from "../providers/directory.ts";
import type { RecordEvents } from "../webhooks/event.ts";

/** What the room needs. */
export interface RefundsDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly identity: Identity;
  readonly providers: Readonly<Record<Mode, ProviderDirectory>>;
  /** Returns the changes that record an event and queue its deliveries. */
  readonly recordEvents: RecordEvents;
  /** Asks the provider about a charge, and records what it says, as for any news of it. Throws ProviderFault. */
  readonly refreshCharge: (
    call: Call,
    accountId: string,
    reference: string,
    asking: { readonly isPeriodic: true },
  ) => Promise<unknown>;
  readonly log: FaultLog;
  /** Is called for every answer of a live provider that cannot be right. */
  readonly onWrongAnswer: () => void;
}
