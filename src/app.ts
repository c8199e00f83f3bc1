import type { Interceptor, Transport } from "@connectrpc/connect";
import type pg from "pg";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { TIME_LIMITS } from "./providers/connection.ts";
import type { CoreOptions } from "./core-options.ts";
import { openDatabases } from "./databases.ts";
import { recordApiVersions } from "./identity/api-version.ts";
import { LedgerChecks } from "./ledger/periodic-checks.ts";
import { liveNeeds } from "./live-needs.ts";
import { auditCalls } from "./platform/rpc/audit-trail.ts";
import { DEFAULT_QUOTAS } from "./platform/config/limits-config.ts";
import { AnnouncedCache } from "./platform/db/cache.ts";
import { businessFigures, type BusinessFigures } from "./business-figures.ts";
import { MODES, type Mode } from "./platform/rpc/caller.ts";
import { admitByToken, requireAdmission, holdToBounds } from "./platform/rpc/core-access.ts";
import { createDirectTransport, type RegisterServices } from "./platform/rpc/direct-transport.ts";
import { requireEncodable } from "./platform/rpc/encodable.ts";
import { sendObjectTexts } from "./platform/rpc/object-texts.ts";
import { translateErrors } from "./platform/rpc/error-interceptor.ts";
import { boundDetails } from "./platform/grpc/bounded-details.ts";
import { createGate, type Gate } from "./platform/grpc/gate.ts";
import { HealthService } from "./platform/grpc/health.ts";
import { registerReflection } from "./platform/grpc/reflection.ts";
import { observeCalls, sendOwner } from "./platform/observe/observer.ts";
import { poolsCheck } from "./platform/observe/readiness.ts";
import type { ReplicaStanding } from "./platform/db/replica.ts";
import { Encryption } from "./platform/db/encryption.ts";
import { traceCalls } from "./platform/observe/tracing.ts";
import { validateRequests } from "./platform/rpc/validation.ts";
import { ptaxFeed } from "./rate-feed.ts";
import type { RateStanding } from "./pricing/rate-standing.ts";
import type { ProviderStanding } from "./provider-accounts/standing.ts";
import type { ReceivablesStanding } from "./receivables/overdue.ts";
import { CORE_SERVICES, createRooms } from "./rooms.ts";
import { deliveryState, type DeliveryState } from "./webhooks/due-deliveries.ts";
import { nameLookup } from "./webhooks/name-lookup.ts";
import { SCHEDULE_SECONDS } from "./webhooks/retry-schedule.ts";
import { createTasks, startWorker, type Tasks, type Worker } from "./worker.ts";

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

export async function createCore(options: CoreOptions): Promise<Core> {
  const { databaseUrl, clock, log, observer, tracer, jsonWriter, checkoutBase, mediaBase } = options;
  const databases = await openDatabases(databaseUrl, {
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
  const rateFeed =
    options.ptax &&
    ptaxFeed(options.ptax, { ...common, environment: environments.live, policy: providerPolicy, cache });

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
    interceptors: [boundDetails(), ...around, requireEncodable(), sendObjectTexts(), ...inner],
    gate: createGate(admit, around),
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
      const { live, test } = environments;
      return { live: await businessFigures(live, now), test: await businessFigures(test, now) };
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
