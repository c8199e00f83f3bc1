import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { ProviderDirectory } from "../providers/directory.ts";
import type { RecordEvents } from "../webhooks/event.ts";

/** What the room needs. */
export interface ReceivablesDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly providers: Readonly<Record<Mode, ProviderDirectory>>;
  /** Returns the changes that record an event and queue its deliveries. */
  readonly recordEvents: RecordEvents;
  /** Returns true if money of a payment went back by its provider's decision, and did not come back. */
  readonly hasReturns: (call: Call, paymentId: string) => Promise<boolean>;
  /** Returns the references of the account's charges that have money of these ids of the provider. */
  readonly referencesOfMoney: (
    call: Call,
    accountId: string,
    ids: readonly string[],
  ) => Promise<readonly string[]>;
  readonly log: FaultLog;
  /** Is called for every answer of a live provider that cannot be right. */
  readonly onWrongAnswer: () => void;
}
