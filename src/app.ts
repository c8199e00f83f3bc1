import type { Interceptor, Transport } from "@connectrpc/connect";
import type { Tracer } from "@opentelemetry/api";
import type { LookupFunction } from "node:net";
import type pg from "pg";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { TIME_LIMITS, type TimeLimits } from "./providers/connection.ts";
import { recordApiVersions, type AnnouncedVersion } from "./identity/api-version.ts";
import { LedgerChecks } from "./ledger/periodic-checks.ts";
import { paymentFigures, type PaymentFigures } from "./ledger/payment-figures.ts";
import { findOverrides } from "./ledger/settlement.ts";
import type { MediaStorage } from "./media/storage.ts";
import { auditCalls } from "./platform/rpc/audit-trail.ts";
import { DEFAULT_QUOTAS, type Quotas } from "./platform/config/limits-config.ts";
import { AnnouncedCache } from "./platform/db/cache.ts";
import type { Environment } from "./platform/db/database.ts";
import { openDatabases } from "./platform/db/databases.ts";
import { MODES, type Mode } from "./platform/rpc/caller.ts";
import { admitByToken, requireAdmission, holdToBounds } from "./platform/rpc/core-access.ts";
import { createDirectTransport, type RegisterServices } from "./platform/rpc/direct-transport.ts";
import { requireEncodable } from "./platform/rpc/encodable.ts";
import { sendObjectTexts } from "./platform/rpc/object-texts.ts";
import { translateErrors, type FaultLog } from "./platform/rpc/error-interceptor.ts";
import { boundDetails } from "./platform/grpc/bounded-details.ts";
import { createGate, type Gate } from "./platform/grpc/gate.ts";
import { HealthService } from "./platform/grpc/health.ts";
import { registerReflection } from "./platform/grpc/reflection.ts";
import { observeCalls, sendRequestId, sendOwner, type CoreObserver } from "./platform/observe/observer.ts";
import { poolsCheck } from "./platform/observe/readiness.ts";
import type { ReplicaSettings, ReplicaStanding } from "./platform/db/replica.ts";
import { Encryption } from "./platform/db/encryption.ts";
import { traceCalls } from "./platform/observe/tracing.ts";
import { validateRequests } from "./platform/rpc/validation.ts";
import type { MailConfig, PtaxConfig } from "./platform/config/outside-config.ts";
import { secondsAfter, type Clock } from "./platform/time/clock.ts";
import { PtaxSource } from "./pricing/ptax-source.ts";
import { RateFeed } from "./pricing/rate-feed.ts";
import type { RateStanding } from "./pricing/rate-standing.ts";
import type { ProviderStanding } from "./provider-accounts/standing.ts";
import type { ReceivablesStanding } from "./receivables/overdue.ts";
import { CORE_SERVICES, createRooms, ENTITIES } from "./rooms.ts";
import { deliveryState, type DeliveryState } from "./webhooks/due-deliveries.ts";
import type { JsonWriter } from "./webhooks/event.ts";
import { eventFigures, type EventFigures } from "./webhooks/event-figures.ts";
import { nameLookup } from "./webhooks/name-lookup.ts";
import { SCHEDULE_SECONDS } from "./webhooks/retry-schedule.ts";
import { liveNeeds } from "./users/live-needs.ts";
import { createTasks, startWorker, type DeliverySettings, type Tasks, type Worker } from "./worker.ts";

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
  /** Where workers fetch the live mode's rate; its limits are as those of providers. Absent: people publish it. */
  readonly ptax?: PtaxConfig & { readonly limits?: TimeLimits };
  /** Absent: no e-mail is sent. */
  readonly mail?: MailConfig | undefined;
  /** The API's serialiser: an event shows an object as the API does. */
  readonly jsonWriter: JsonWriter;
  /** Resolves the host names of webhook endpoints; absent: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Absent: the contract's values. */
  readonly delivery?: Partial<DeliverySettings>;
  /** The maximum time of a request's query; absent: 10 s. */
  readonly databaseTimeoutMs?: number;
  /** How many commits of new rows go together in one query at most; 1: none. Absent: 64. */
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

/** What was sold in the last hour, and what waits. */
export type BusinessFigures = PaymentFigures & EventFigures;

/** Connections of a pool, and requests that wait for one. */
type PoolState = Pick<pg.Pool, "totalCount" | "idleCount" | "waitingCount">;

/** The core: its services for a Connect router, and a transport to them for callers in the same process. */
export interface Core {
  readonly register: RegisterServices;
  /** For calls from the network. */
  readonly interceptors: Interceptor[];
  /** Admits or refuses a call from the network by its headers. */
  readonly gate: Gate;
  readonly transport: Transport;
  /** The background tasks, one round at a time. */
  readonly tasks: Tasks;
  startWorker(): Worker;
  /** The latest results of the checks of ledger and prices. */
  readonly checks: Pick<LedgerChecks, "standings">;
  /** Each mode's newest rate and the state of its source. */
  readonly rateStandings: () => Promise<RateStanding[]>;
  readonly pools: Readonly<Record<string, PoolState>>;
  /** Undefined: no replica is configured. */
  readonly replicaStanding: () => ReplicaStanding | undefined;
  /** What is known of the accounts at payment providers, in live mode. */
  readonly providerStanding: () => Promise<ProviderStanding>;
  /** What of card providers' money needs a person, in live mode. */
  readonly receivablesStanding: () => Promise<ReceivablesStanding>;
  /** What was sold, by mode. */
  readonly businessFigures: () => Promise<Readonly<Record<Mode, BusinessFigures>>>;
  /** The deliveries that wait, by mode. */
  readonly deliveryStates: () => Promise<Readonly<Record<Mode, DeliveryState>>>;
  /** Returns true if the database answers on every pool. The result is at most one second old. */
  readonly isReady: () => Promise<boolean>;
  close(): Promise<void>;
}

const DELIVERY_TIMEOUT_MS = 15_000;
// Longer than an attempt and its record take: then the worker that has the delivery is dead.
const DELIVERY_LEASE_SECONDS = 40;
const RECENT_SECONDS = 3600;

export async function createCore(options: CoreOptions): Promise<Core> {
  const { databaseUrl, clock, log, observer, tracer, jsonWriter, checkoutBase, mediaBase } = options;
  const databases = await openDatabases(databaseUrl, ENTITIES, {
    tracer,
    queryMs: options.databaseTimeoutMs,
    commitBatch: options.commitBatch,
    replica: options.replica,
  });
  const { identity: identityEnvironment, environments } = databases;
  await recordApiVersions(identityEnvironment.pool, options.apiVersions);
  const cache = new AnnouncedCache(databaseUrl, (error) =>
    log.info({ err: error }, "the cache cannot listen"),
  );
  await cache.listen();
  const common = {
    clock,
    log,
    encryption: await Encryption.forDatabase(
      identityEnvironment.pool,
      options.dataKey,
      options.formerDataKeys,
    ),
    lookup: options.lookup ?? nameLookup(),
    policies: {
      live: { isLoopbackAllowed: false },
      test: { isLoopbackAllowed: options.allowLoopbackWebhooks },
    },
  };
  const providerPolicy = { isLoopbackAllowed: options.allowLoopbackProviders ?? false };
  const { mediaStorage, quotas = DEFAULT_QUOTAS } = options;
  const rooms = createRooms({
    ...common,
    databases,
    cache,
    jsonWriter,
    checkoutBase,
    callbackBase: `${options.publicUrl}/providers`,
    onProviderFault: (kind) => observer?.providerFailed({ mode: "live", kind }),
    providerPolicy,
    providerLimits: options.providerLimits ?? TIME_LIMITS,
    consoleUrl: options.consoleUrl,
    mediaBase,
    mediaStorage,
    quotas,
    mail: options.mail,
  });
  const checks = new LedgerChecks({ environments, clock, log });
  const delivery = {
    schedule: SCHEDULE_SECONDS,
    timeoutMs: DELIVERY_TIMEOUT_MS,
    leaseSeconds: DELIVERY_LEASE_SECONDS,
    ...options.delivery,
  };
  const { ptax } = options;
  const rateFeed =
    ptax &&
    new RateFeed({
      ...common,
      environment: environments.live,
      source: new PtaxSource({
        ...TIME_LIMITS,
        ...ptax.limits,
        url: ptax.url,
        lookup: common.lookup,
        policy: providerPolicy,
      }),
      maxAgeSeconds: ptax.maxAgeSeconds,
      findOverrides: async () => await findOverrides(environments.live.pool),
      cache,
    });

  const isReady = poolsCheck([identityEnvironment.pool, ...MODES.map((mode) => environments[mode].pool)]);
  const health = new HealthService(CORE_SERVICES, options.isServing ?? isReady);
  const register: RegisterServices = (router) => {
    router.service(Health, health.rpcs);
    registerReflection(router, [...CORE_SERVICES, Health]);
    rooms.register(router);
  };
  const reflection = [ServerReflection.typeName, ServerReflectionAlpha.typeName];
  const admit = admitByToken({
    coreToken: options.coreToken,
    findToken: (tokenHash) => rooms.identity.namedToken(tokenHash),
    open: new Set([Health.typeName, ...(options.allowOpenReflection ? reflection : [])]),
    common: new Set(reflection),
  });
  const around = [
    ...(tracer ? [traceCalls(tracer)] : []),
    ...(observer ? [observeCalls(observer)] : []),
    sendOwner(),
    translateErrors(log),
  ];
  const inner = [requireAdmission(admit), validateRequests(), holdToBounds(), auditCalls(clock)];
  // Not by the calls that are counted and logged.
  const liveOf = liveNeeds(createDirectTransport(register, inner), options.coreToken, clock);
  const work = {
    ...common,
    ...rooms,
    environments,
    checks,
    observer,
    tracer,
    delivery,
    rateFeed,
    liveOf,
  };
  return {
    register,
    interceptors: [
      boundDetails(),
      sendRequestId(),
      ...around,
      requireEncodable(),
      sendObjectTexts(),
      ...inner,
    ],
    gate: createGate(admit, [sendRequestId(), ...around]),
    transport: createDirectTransport(register, [...around, ...inner]),
    tasks: createTasks(work),
    startWorker: () => startWorker(work),
    checks,
    rateStandings: async () => await rooms.pricing.rateStandings(),
    pools: {
      identity: identityEnvironment.pool,
      live: environments.live.pool,
      test: environments.test.pool,
    },
    replicaStanding: () => databases.replica?.standing,
    providerStanding: async () => await rooms.providerAccounts.standing("live"),
    businessFigures: async () => {
      const now = new Date(clock.nowMs());
      const since = secondsAfter(now, -RECENT_SECONDS);
      const figuresOf = async (environment: Environment): Promise<BusinessFigures> => ({
        ...(await paymentFigures(environment, since)),
        ...(await eventFigures(environment, since, now)),
      });
      return { live: await figuresOf(environments.live), test: await figuresOf(environments.test) };
    },
    receivablesStanding: async () => await rooms.receivables.standing("live"),
    deliveryStates: async () => {
      const { live, test } = environments;
      return { live: await deliveryState(live, clock), test: await deliveryState(test, clock) };
    },
    isReady,
    close: async () => {
      await rooms.closeProviders();
      await rooms.identity.close();
      await cache.close();
      await databases.close();
    },
  };
}
