import type { Transport } from "@connectrpc/connect";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { createGateway } from "../gateway/app.ts";
import { messageWriter } from "../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../src/app.ts";
import { createCoreHttpServer, createCoreServer } from "../src/listeners.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { Config } from "../src/platform/config.ts";
import { boundedCheck } from "../src/platform/readiness.ts";
import { API_VERSIONS } from "./api-versions.ts";
import type { Certificates } from "./certificates.ts";
import { coreTransport } from "./core-transport.ts";
import { ensureDataKey } from "./data-key.ts";
import type { OpenDatabase } from "./database.ts";
import { DrainingServer } from "./draining-server.ts";
import type { Ending } from "./ending.ts";
import type { SafeLog } from "./log.ts";
import { openMediaStorage } from "./media-storage.ts";
import type { Metrics } from "./metrics.ts";
import { coreObserver, requestObserver } from "./observers.ts";
import type { Role } from "./role.ts";
import { demoText, isOwnerInvited, seedDemo } from "./seed.ts";
import { readClientTls } from "./tls.ts";
import type { Tracing } from "./tracing.ts";

const SERVICES = [IdentityService, PricingService, LedgerService, RefundsService, LinksService];
const READY_TIMEOUT_MS = 1000;

/** Shared by all parts of the process. */
export interface Surroundings {
  readonly config: Config;
  readonly log: SafeLog;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly ending: Ending;
  readonly certificates: Certificates;
}

/** Parts that listen. */
export interface StartedParts {
  /** Returns whether they can serve. */
  readonly isReady: () => Promise<boolean>;
  /** Begins what serves no request, once the process may be ready. */
  readonly begin: () => void;
}

/** Starts a gateway that finds its core in other processes. */
export async function startFront(
  around: Surroundings,
  coreToken: string,
  isServing: () => Promise<boolean>,
): Promise<StartedParts> {
  const { config } = around;
  const transport = coreTransport(config.coreHttpUrls, readClientTls(config.coreClientTls));
  await startGateway(around, "gateway", transport, coreToken, isServing);
  return {
    isReady: boundedCheck(async () => await coreAnswers(transport, coreToken)),
    begin: () => undefined,
  };
}

/** Starts the parts of a role that has a core. */
export async function startBack(
  around: Surroundings,
  role: Exclude<Role, "gateway">,
  database: OpenDatabase,
  coreToken: string,
  isServing: () => Promise<boolean>,
): Promise<StartedParts> {
  const { config, ending } = around;
  const core = await startCore(around, database, coreToken, isServing);
  if (role !== "worker") await listenCore(around, core, role);
  const demo = config.seed === "demo" ? await seedDemo(config, core.transport, coreToken) : [];
  if (role === "all") await startGateway(around, role, core.transport, coreToken, isServing);
  if (demo.length > 0) {
    const invited = await isOwnerInvited(demo, core.transport, coreToken);
    process.stdout.write(demoText(demo, config.publicUrl, { isOwnerInvited: invited }));
  }
  return {
    isReady: core.isReady,
    begin: () => {
      if (role !== "core") ending.addWork(core.startWorker());
    },
  };
}

/** Returns whether a core answers, which makes a separate gateway ready. */
async function coreAnswers(transport: Transport, coreToken: string): Promise<boolean> {
  const header = { authorization: `Bearer ${coreToken}` };
  const { listSigningKeys } = PricingService.method;
  const answer = transport.unary(listSigningKeys, undefined, READY_TIMEOUT_MS, header, {});
  return await answer.then(
    () => true,
    () => false,
  );
}

async function startCore(
  around: Surroundings,
  database: OpenDatabase,
  coreToken: string,
  isServing: () => Promise<boolean>,
): Promise<Core> {
  const { config, log, metrics, tracing, ending } = around;
  await migrate(database.url);
  const { checkoutBase, mediaBase } = config;
  const core = await createCore({
    databaseUrl: database.url,
    databaseTimeoutMs: config.databaseTimeoutMs,
    commitBatch: config.commitBatch,
    coreToken,
    isServing,
    apiVersions: API_VERSIONS,
    checkoutBase,
    publicUrl: config.publicUrl,
    mediaBase,
    mediaStorage: openMediaStorage(config),
    quotas: config.quotas,
    dataKey: await ensureDataKey(config, database.url),
    allowLoopbackWebhooks: config.allowLoopbackWebhooks,
    allowLoopbackProviders: config.allowLoopbackProviders,
    ...(config.ptax ? { ptax: config.ptax } : {}),
    jsonWriter: messageWriter,
    clock: systemClock,
    log,
    observer: coreObserver(metrics, log),
    ...(tracing ? { tracer: tracing.tracer } : {}),
  });
  ending.addBase({ stop: () => core.close() });
  ending.addBase(metrics.watch(core));
  return core;
}

async function listenCore(
  { config, log, ending, certificates }: Surroundings,
  core: Core,
  role: Role,
): Promise<void> {
  const { host, corePort, coreHttpPort, coreTls } = config;
  const tls = certificates.read(coreTls);
  const http2 = await createCoreServer(core, tls);
  certificates.keep(http2.server, coreTls);
  ending.addServer(new DrainingServer(http2));
  log.info({ listener: "http2", address: await http2.listen({ host, port: corePort }) }, "listening");
  if (role === "all") return;
  const http = await createCoreHttpServer(core, tls);
  certificates.keep(http.server, coreTls);
  ending.addServer(new DrainingServer(http));
  log.info({ listener: "http1", address: await http.listen({ host, port: coreHttpPort }) }, "listening");
}

async function startGateway(
  { config, log, metrics, tracing, ending, certificates }: Surroundings,
  role: Role,
  transport: Transport,
  coreToken: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const tls = certificates.read(config.gatewayTls);
  const gateway = createGateway({
    transport,
    services: SERVICES,
    coreToken,
    versions: API_VERSIONS,
    logger: log,
    publicUrl: config.publicUrl,
    // A separate gateway has no database, so it does not know whether this is a demo.
    allowsHttpConsole: config.allowHttpConsole ?? (role === "all" && config.isDemoMachine),
    mediaBase: config.mediaBase,
    trustedProxies: config.trustedProxies,
    certificateProxies: config.certificateProxies,
    rateLimits: config.rateLimits,
    sessionRates: config.sessionRates,
    isReady,
    tls,
    observer: requestObserver(metrics, log),
    ...(tracing ? { tracer: tracing.tracer } : {}),
  });
  certificates.keep(gateway.server, config.gatewayTls);
  ending.addServer(new DrainingServer(gateway));
  const { host, port } = config;
  log.info({ listener: "rest", address: await gateway.listen({ host, port }) }, "listening");
}
