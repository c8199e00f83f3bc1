import type { Tracer } from "@opentelemetry/api";
import type { LookupFunction } from "node:net";
import type { TimeLimits } from "./providers/connection.ts";
import type { AnnouncedVersion } from "./identity/api-version.ts";
import type { MediaStorage } from "./media/storage.ts";
import type { Clock } from "./platform/time/clock.ts";
import type { FaultLog } from "./platform/rpc/error-interceptor.ts";
import type { MailConfig } from "./platform/config/outside-config.ts";
import type { CoreObserver } from "./platform/observe/observer.ts";
import type { Quotas } from "./platform/config/limits-config.ts";
import type { ReplicaSettings } from "./platform/db/replica.ts";
import type { PtaxSettings } from "./rate-feed.ts";
import type { JsonWriter } from "./webhooks/event.ts";
import type { DeliverySettings } from "./worker.ts";

/** What a core is made of and configured by. */
export interface CoreOptions {
  /** A database that is up to date, see `migrate`. */
  readonly databaseUrl: string;
  /** A replica of it for reads that decide nothing. Absent: none. */
  readonly replica?: ReplicaSettings | undefined;
  readonly coreToken: string;
  /** The versions of the public contract. Their announced end dates are stored. */
  readonly apiVersions: readonly AnnouncedVersion[];
  readonly checkoutBase: string;
  /** The address of the gateway at which providers call back. */
  readonly publicUrl: string;
  /** The address of the console, "https://pay.example.com/console". */
  readonly consoleUrl: string;
  readonly mediaBase: string;
  /** The storage for the bytes of pictures. */
  readonly mediaStorage: MediaStorage;
  /** Absent: the defaults. */
  readonly quotas?: Quotas;
  /** The 32-byte key that encrypts the secrets in the database. */
  readonly dataKey: Uint8Array;
  /** Keys that decrypt what they encrypted before they were replaced. */
  readonly formerDataKeys?: readonly Uint8Array[];
  /** True: webhooks of test mode may use http and loopback addresses. */
  readonly allowLoopbackWebhooks: boolean;
  /** True: providers and the source of rates may use http and loopback addresses. Absent: they may not. */
  readonly allowLoopbackProviders?: boolean;
  /** True: reflection asks for no token. Absent: it does. */
  readonly allowOpenReflection?: boolean;
  /** Absent: 5 s to connect to a provider, and 30 s for its answer. */
  readonly providerLimits?: TimeLimits;
  /** Where workers fetch the live mode's rate. Absent: people publish it. */
  readonly ptax?: PtaxSettings;
  /** Absent: no e-mail is sent. */
  readonly mail?: MailConfig | undefined;
  /** The API's serialiser: an event shows an object as the API does. */
  readonly jsonWriter: JsonWriter;
  /** Resolves the host names of webhook endpoints; absent: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Absent: the contract's values. */
  readonly delivery?: Partial<DeliverySettings>;
  /** The maximum time of a request's statement; absent: 10 s. */
  readonly databaseTimeoutMs?: number;
  /** How many commits of new rows go together in one statement at most; 1: none. Absent: 64. */
  readonly commitBatch?: number;
  /** The result of the health checks; absent: whether the database answers. */
  readonly isServing?: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: FaultLog & { info(details: object, message: string): void };
  /** Is called for every call and every delivery attempt. */
  readonly observer?: CoreObserver;
  /** Absent: no spans are recorded. */
  readonly tracer?: Tracer;
}
