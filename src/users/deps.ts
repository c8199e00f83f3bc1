import type { Quotas } from "../platform/config/limits-config.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { FairSemaphore } from "../../contract/fair-semaphore.ts";
import type { SucceededAsked, SucceededPayment } from "../ledger/succeeded-payments.ts";
import type { Mails } from "../mail/service.ts";
import type { Encryption } from "../platform/db/encryption.ts";

/** Returns the live payments of a tenant that succeeded since a time, the earliest first. */
export type SucceededOf = (asked: SucceededAsked) => Promise<readonly SucceededPayment[]>;

/** What the RPCs of the room need. */
export interface UsersDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly quotas: Pick<Quotas, "users">;
  /** The address of the console, at which links lead to it. */
  readonly consoleUrl: string;
  /** Returns what succeeded in live mode, for e-mails of it. */
  readonly succeededOf: SucceededOf;
  /** Undefined: no e-mail is sent. */
  readonly mails: Mails | undefined;
}

/** What the RPCs that change a tenant's members and links need, too. */
export interface TurnDeps extends UsersDeps {
  /** A tenant's changes overtake each other: side by side, each would hold a connection and be decided again and again. */
  readonly tenants: FairSemaphore;
}
