import type { Identity } from "../identity/service.ts";
import type { Ledger } from "../ledger/service.ts";
import type { LinkEventDeps } from "../links/link-events.ts";
import type { Links } from "../links/service.ts";
import type { Mails } from "../mail/service.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Quotas } from "../platform/config/limits-config.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { Pricing } from "../pricing/service.ts";
import type { ProviderDirectory } from "../providers/directory.ts";
import type { ProviderReturn } from "../providers/ports.ts";

/** What charges need. */
export interface ChargesDeps extends LinkEventDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly ledger: Ledger;
  readonly providers: Readonly<Record<Mode, ProviderDirectory>>;
  readonly log: FaultLog;
  /** Counts an answer of a provider of live mode that contradicts what was asked. */
  readonly onWrongAnswer: () => void;
  readonly identity: Identity;
  readonly encryption: Encryption;
  /** Records money of a payment that went back. */
  readonly recordReturns: (
    call: Call,
    paymentId: string,
    returns: readonly ProviderReturn[],
  ) => Promise<void>;
  /** Returns true if money of a payment or of its exceptions went back by its provider's decision, and did not come back. */
  readonly hasReturns: (call: Call, paymentId: string) => Promise<boolean>;
}

/** What sessions need. */
export interface SessionsDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly identity: Identity;
  readonly pricing: Pricing;
  readonly ledger: Ledger;
  readonly links: Links;
  readonly encryption: Encryption;
  readonly providers: Readonly<Record<Mode, ProviderDirectory>>;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
  readonly quotas: Pick<Quotas, "openSessionsPerLink">;
  /** Undefined: no e-mail is sent. */
  readonly mails: Mails | undefined;
}

/** What the room needs. */
export interface CheckoutDeps extends ChargesDeps, SessionsDeps {
  readonly log: FaultLog;
}
