import type { Interceptor, Transport } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import type { Tracer } from "@opentelemetry/api";
import type { LookupFunction } from "node:net";
import type pg from "pg";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { CheckoutService } from "../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService } from "../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { nameLookup } from "./webhooks/name-lookup.ts";
import { WebhooksService } from "../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { checkoutEntities } from "./checkout/entities.ts";
import { Checkouts } from "./checkout/service.ts";
import { identityEntities, Route } from "./identity/entities.ts";
import { recordApiVersions, type AnnouncedVersion } from "./identity/api-version.ts";
import { AuditLog } from "./identity/audit-log.ts";
import { People } from "./identity/people.ts";
import { Identity } from "./identity/service.ts";
import { ledgerEntities } from "./ledger/entities.ts";
import { LedgerAudits } from "./ledger/audits.ts";
import { Ledger } from "./ledger/service.ts";
import { AcceptedLinks } from "./links/accepted-links.ts";
import { linksEntities } from "./links/entities.ts";
import { Links } from "./links/service.ts";
import { mediaEntities } from "./media/entities.ts";
import { MediaRoom } from "./media/service.ts";
import type { MediaStorage } from "./media/storage.ts";
import { auditChanges } from "./platform/audit-trail.ts";
import { AnnouncedCache } from "./platform/cache.ts";
import type { Mode } from "./platform/caller.ts";
import type { Clock } from "./platform/clock.ts";
import { requireCoreAccess } from "./platform/core-access.ts";
import { openEnvironment, POOL_MAX, type Environment } from "./platform/database.ts";
import { createDirectTransport, type RegisterServices } from "./platform/direct-transport.ts";
import { translateErrors, type FaultLog } from "./platform/error-interceptor.ts";
import { HealthService } from "./platform/grpc/health.ts";
import { registerReflection } from "./platform/grpc/reflection.ts";
import { JobQueue, type QueueState } from "./platform/jobs.ts";
import { observeCalls, tellOwner, type CoreObserver } from "./platform/observer.ts";
import { Operations } from "./platform/operation.ts";
import { Sealer } from "./platform/sealer.ts";
import { traceCalls } from "./platform/tracing.ts";
import { validateRequests } from "./platform/validation.ts";
import { providersEntities } from "./providers/entities.ts";
import { sandboxProviders } from "./providers/sandbox.ts";
import { pricingEntities } from "./pricing/entities.ts";
import { Pricing } from "./pricing/service.ts";
import { DELIVERY_QUEUE, type DeliveryJob } from "./webhooks/delivery.ts";
import { webhooksEntities } from "./webhooks/entities.ts";
import type { JsonWriter } from "./webhooks/event.ts";
import { SCHEDULE_SECONDS } from "./webhooks/retry-schedule.ts";
import { Webhooks } from "./webhooks/service.ts";
import { createTasks, startWorker, type DeliverySettings, type Tasks, type Worker } from "./worker.ts";

export interface CoreOptions {
  /** A database that is up to date, see `migrate`. */
  readonly databaseUrl: string;
  readonly coreToken: string;
  /** The versions of the public contract, whose announced ends are kept. */
  readonly apiVersions: readonly AnnouncedVersion[];
  readonly checkoutBase: string;
  readonly mediaBase: string;
  /** Where pictures' bytes are kept. */
  readonly mediaStorage: MediaStorage;
  /** 32 bytes that secrets in the database are sealed with. */
  readonly dataKey: Uint8Array;
  /** True: webhooks of test mode may go to http and to this machine. */
  readonly allowLoopbackWebhooks: boolean;
  /** The API's serialiser, so that an event shows an object as the API does. */
  readonly jsonWriter: JsonWriter;
  /** How names of webhook endpoints are looked up; absent: as the system does. */
  readonly lookup?: LookupFunction;
  /** Absent: as the contract says. */
  readonly delivery?: Partial<DeliverySettings & { readonly expireSeconds: number }>;
  /** What health checks are told; absent: whether the database answers. */
  readonly isServing?: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: FaultLog & { info(details: object, message: string): void };
  /** Told of every call and every attempt to deliver. */
  readonly observer?: CoreObserver;
  /** Absent: there are no spans. */
  readonly tracer?: Tracer;
}

/** Connections of a pool, and requests that wait for one. */
export type PoolState = Pick<pg.Pool, "totalCount" | "idleCount" | "waitingCount">;

/** The core: its services for a Connect router, and a transport to them for callers of the same process. */
export interface Core {
  readonly register: RegisterServices;
  readonly interceptors: Interceptor[];
  readonly transport: Transport;
  /** What goes on in the background, one round at a time. */
  readonly tasks: Tasks;
  startWorker(): Worker;
  /** How the books and the prices stood when they were last looked through. */
  readonly audits: Pick<LedgerAudits, "standings">;
  readonly pools: Readonly<Record<string, PoolState>>;
  /** What waits to be delivered, by mode. */
  readonly queueStates: () => Promise<Readonly<Record<Mode, QueueState>>>;
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>;
  close(): Promise<void>;
}

/** All that the core offers, health and reflection apart. */
export const CORE_SERVICES: readonly DescService[] = [
  IdentityService,
  UsersService,
  AuditLogService,
  PricingService,
  LedgerService,
  LinksService,
  CheckoutService,
  WebhooksService,
  MediaService,
];
const DELIVERY_TIMEOUT_MS = 15_000;
// A worker that has not ended a delivery by then never will.
const DELIVERY_EXPIRE_SECONDS = 40;
const DELIVERY_HEARTBEAT_SECONDS = 10;
const ENDPOINT_CONCURRENCY = 8;

export async function createCore(options: CoreOptions): Promise<Core> {
  const { databaseUrl: url, clock, log, observer, tracer } = options;
  const rooms = [
    ...pricingEntities,
    ...ledgerEntities,
    ...linksEntities,
    ...checkoutEntities,
    ...providersEntities,
    ...webhooksEntities,
    ...mediaEntities,
    Route,
  ];
  const [identityEnvironment, live, test] = await Promise.all([
    openEnvironment({ url, schema: "identity", entities: identityEntities, poolMax: POOL_MAX, tracer }),
    openEnvironment({ url, schema: "live", entities: rooms, poolMax: POOL_MAX, tracer }),
    openEnvironment({ url, schema: "test", entities: rooms, poolMax: POOL_MAX, tracer }),
  ]);
  await recordApiVersions(identityEnvironment.pool, options.apiVersions);
  const environments = { live, test };
  const cache = new AnnouncedCache(url, (error) => log.info({ err: error }, "the cache cannot listen"));
  await cache.listen();

  const { expireSeconds = DELIVERY_EXPIRE_SECONDS } = options.delivery ?? {};
  const openQueue = async ({ pool }: Environment, schema: string) =>
    await JobQueue.open<DeliveryJob>(
      pool,
      schema,
      {
        name: DELIVERY_QUEUE,
        expireSeconds,
        heartbeatSeconds: DELIVERY_HEARTBEAT_SECONDS,
        groupConcurrency: ENDPOINT_CONCURRENCY,
      },
      (error) => log.error({ err: error }, "jobs failed"),
    );
  const queues = { live: await openQueue(live, "live"), test: await openQueue(test, "test") };

  const operations = new Operations({ clock, environments });
  const identity = new Identity({
    identity: identityEnvironment,
    cache,
    clock,
    onFault: (error) => log.info({ err: error }, "uses of keys were not noted"),
  });
  const sealer = await Sealer.forDatabase(identityEnvironment.pool, options.dataKey);
  const people = new People({ identity: identityEnvironment, clock, sealer });
  const lookup = options.lookup ?? nameLookup();
  const policies = {
    live: { isLoopbackAllowed: false },
    test: { isLoopbackAllowed: options.allowLoopbackWebhooks },
  };
  const { jsonWriter } = options;
  const webhooks = new Webhooks({
    clock,
    environments,
    queues,
    operations,
    sealer,
    policies,
    lookup,
    jsonWriter,
  });
  const recordEvent = webhooks.record.bind(webhooks);
  const ledger = new Ledger({ clock, environments, identity, operations, recordEvent, jsonWriter });
  const findIntent = ledger.pricedIntent.bind(ledger);
  const pricing = new Pricing({
    clock,
    cache,
    environments,
    identity,
    operations,
    findIntent,
    links: new AcceptedLinks(environments),
  });
  const { checkoutBase, mediaBase } = options;
  const links = new Links({
    clock,
    environments,
    operations,
    identity,
    pricing,
    ledger,
    checkoutBase,
    mediaBase,
    recordEvent,
  });
  const checkouts = new Checkouts({
    clock,
    environments,
    operations,
    identity,
    pricing,
    ledger,
    links,
    sealer,
    // No adapter to a live provider exists: live links open no session.
    providers: { live: {}, test: sandboxProviders(test, clock) },
    checkoutBase,
    recordEvent,
    log,
  });
  const media = new MediaRoom({ clock, operations, identity, storage: options.mediaStorage, mediaBase });
  const audits = new LedgerAudits({ environments, clock, log });
  const work = {
    environments,
    queues,
    policies,
    lookup,
    sealer,
    clock,
    log,
    ledger,
    audits,
    links,
    people,
    checkouts,
    observer,
    tracer,
    delivery: { schedule: SCHEDULE_SECONDS, timeoutMs: DELIVERY_TIMEOUT_MS, ...options.delivery },
  };

  const isReady = async (): Promise<boolean> => {
    const answered = await identityEnvironment.pool.query("SELECT 1").catch(() => undefined);
    return answered !== undefined;
  };
  const health = new HealthService(CORE_SERVICES, options.isServing ?? isReady);
  const observing = [
    ...(tracer ? [traceCalls(tracer)] : []),
    ...(observer ? [observeCalls(observer)] : []),
    tellOwner(),
  ];
  const register: RegisterServices = (router) => {
    router.service(Health, health.rpcs);
    registerReflection(router, [...CORE_SERVICES, Health]);
    const { coreTokens, administration } = identity;
    router.service(IdentityService, { ...identity.rpcs, ...coreTokens.rpcs, ...administration.rpcs });
    router.service(UsersService, people.rpcs);
    router.service(AuditLogService, new AuditLog(identityEnvironment).rpcs);
    router.service(PricingService, pricing.rpcs);
    router.service(LedgerService, ledger.rpcs);
    router.service(LinksService, links.rpcs);
    router.service(CheckoutService, checkouts.rpcs);
    router.service(WebhooksService, webhooks.rpcs);
    router.service(MediaService, media.rpcs);
  };
  const access = requireCoreAccess({
    coreToken: options.coreToken,
    findToken: (tokenHash) => identity.coreTokens.find(tokenHash),
    open: new Set([Health.typeName]),
    common: new Set([ServerReflection.typeName, ServerReflectionAlpha.typeName]),
  });
  const interceptors = [translateErrors(log), access, validateRequests(), auditChanges(clock)];
  return {
    register,
    interceptors: [...observing, ...interceptors],
    transport: createDirectTransport(register, [...observing, ...interceptors]),
    tasks: createTasks(work),
    startWorker: () => startWorker(work),
    audits,
    pools: { identity: identityEnvironment.pool, live: live.pool, test: test.pool },
    queueStates: async () => ({ live: await queues.live.state(), test: await queues.test.state() }),
    isReady,
    close: async () => {
      await identity.close();
      await cache.close();
      await Promise.all([queues.live.close(), queues.test.close()]);
      await Promise.all([identityEnvironment, live, test].map(({ orm }) => orm.close(true)));
    },
  };
}
