import type { Transport } from "@connectrpc/connect";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { requireNotice } from "../gateway/api-versions.ts";
import { createGateway } from "../gateway/app.ts";
import { messageWriter } from "../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../src/app.ts";
import { createCoreHttpServer, createCoreServer, frontOf } from "../src/listeners.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { systemClock } from "../src/platform/clock.ts";
import { ConfigError, type Config } from "../src/platform/config.ts";
import { boundedCheck, Readiness } from "../src/platform/readiness.ts";
import { openCallbackPort } from "./callback-port.ts";
import { ensureCoreToken } from "./core-token.ts";
import { coreTransport } from "./core-transport.ts";
import { ensureDataKey } from "./data-key.ts";
import { openDatabase } from "./database.ts";
import { Ending } from "./ending.ts";
import { listen, threadFault } from "./listening.ts";
import { openLog, type SafeLog } from "./log.ts";
import { openMediaStorage } from "./media-storage.ts";
import { Metrics } from "./metrics.ts";
import { MetricsServer } from "./metrics-server.ts";
import { Notice } from "./notice.ts";
import { coreObserver, requestObserver } from "./observers.ts";
import { failureText } from "./output.ts";
import type { Role } from "./role.ts";
import { demoText, isOwnerInvited, seedDemo } from "./seed.ts";
import { API_VERSIONS } from "./api-versions.ts";
import { Certificates } from "./certificates.ts";
import { readClientTls } from "./tls.ts";
import { startTracing, type Tracing } from "./tracing.ts";
import packageJson from "../package.json" with { type: "json" };

const SERVICES = [IdentityService, PricingService, LedgerService, RefundsService, LinksService];
const READY_TIMEOUT_MS = 1000;

/** Shared by all parts of the process. */
interface Surroundings {
  readonly config: Config;
  readonly log: SafeLog;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly ending: Ending;
  readonly certificates: Certificates;
}

/** Runs the service, or one part of it. Resolves when it is ready. A signal then drains and ends the process. */
export async function serve(config: Config, role: Role): Promise<void> {
  requireNotice(API_VERSIONS);
  const open = openLog(config.logLevel);
  // It is not ready before everything has started.
  let isReady: (() => Promise<boolean>) | undefined;
  const readiness = new Readiness(async () => (await isReady?.()) ?? false);
  const { drainDelayMs: delayMs, drainTimeoutMs: timeoutMs } = config;
  const ending = new Ending({ log: open, readiness, delayMs, timeoutMs });
  ending.listen();
  try {
    isReady = await start(config, role, open.log, readiness, ending);
  } catch (error) {
    if (!(error instanceof ConfigError)) open.log.fatal({ err: error }, "could not start");
    throw plainly(error);
  }
}

/** Returns the error with its text only: its other properties may hold the database's address. */
function plainly(error: unknown): Error {
  return error instanceof ConfigError ? error : new Error(failureText(error));
}

/** Starts the role's parts. Returns the function that checks whether they can serve. */
async function start(
  config: Config,
  role: Role,
  log: SafeLog,
  readiness: Readiness,
  ending: Ending,
): Promise<() => Promise<boolean>> {
  const tracing = await startTracing(process.env, role);
  if (tracing) ending.addBase(tracing);
  const metrics = new Metrics(role, packageJson.version);
  const certificates = new Certificates();
  renewOnSignal(certificates, log);
  const around: Surroundings = { config, log, metrics, tracing, ending, certificates };
  await listenMetrics(around, readiness);
  const coreToken = await ensureCoreToken(config);
  if (role === "gateway") {
    const transport = coreTransport(config.coreHttpUrls, readClientTls(config.coreClientTls));
    await startGateway(around, role, transport, coreToken, readiness.isReady);
    return boundedCheck(async () => await coreAnswers(transport, coreToken));
  }
  const core = await startCore(around, coreToken, readiness.isReady);
  if (role !== "core") ending.addWork(core.startWorker());
  if (role !== "worker") await listenCore(around, core, role);
  const demo = config.seed === "demo" ? await seedDemo(config, core.transport, coreToken) : [];
  if (role === "all") await startGateway(around, role, core.transport, coreToken, readiness.isReady);
  if (demo.length > 0) {
    const invited = await isOwnerInvited(demo, core.transport, coreToken);
    process.stdout.write(demoText(demo, config.publicUrl, { isOwnerInvited: invited }));
  }
  return core.isReady;
}

/** SIGHUP makes the process read its certificates again. By default it would end the process. */
function renewOnSignal(certificates: Certificates, log: SafeLog): void {
  process.on("SIGHUP", () => {
    try {
      certificates.renew();
      log.info("certificates read again");
    } catch (error) {
      log.error({ err: error }, "certificates cannot be read again");
    }
  });
}

async function listenMetrics(
  { config, log, metrics, ending }: Surroundings,
  readiness: Readiness,
): Promise<void> {
  if (config.metricsPort === undefined) return;
  const server = new MetricsServer(metrics.registry, readiness);
  const address = await server.listen(config.host, config.metricsPort);
  if (address === undefined) {
    const text = `METRICS_PORT ${config.metricsPort} is taken: there are no metrics. 0 takes any free port, none goes without.`;
    log.warn({ notice: new Notice(text) }, "notice");
    return;
  }
  ending.addBase({ stop: () => server.close() });
  log.info({ listener: "metrics", address }, "listening");
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
  coreToken: string,
  isServing: () => Promise<boolean>,
): Promise<Core> {
  const { config, log, metrics, tracing, ending } = around;
  const database = await openDatabase(config, {
    onNotice: (line) => log.info({ notice: new Notice(line) }, "notice"),
    onRestart: (detail) => log.error({ notice: new Notice(detail) }, "the database is started anew"),
    onExit: (detail) => {
      log.fatal({ notice: new Notice(detail) }, "the database ended");
      process.exit(1);
    },
  });
  ending.addBase(database);
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
    publicUrl: config.callbackBase,
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

async function listenCore(around: Surroundings, core: Core, role: Role): Promise<void> {
  const { config, certificates } = around;
  const { host, corePort, coreHttpPort, coreTls: files } = config;
  const tls = certificates.read(files);
  const http2 = await createCoreServer(core, tls);
  const front = frontOf(http2, tls, threadFault(around));
  await listen(around, { listener: "http2", app: http2, files, front }, { host, port: corePort });
  if (role === "all") return;
  const http = await createCoreHttpServer(core, tls);
  const httpFront = frontOf(http, tls, threadFault(around));
  await listen(
    around,
    { listener: "http1", app: http, files, front: httpFront },
    { host, port: coreHttpPort },
  );
}

async function startGateway(
  around: Surroundings,
  role: Role,
  transport: Transport,
  coreToken: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const { config, log, metrics, tracing, certificates } = around;
  const { host, port, callbackTlsPort, gatewayTls: files } = config;
  const tls = certificates.read(files);
  const common = {
    transport,
    coreToken,
    versions: API_VERSIONS,
    logger: log,
    observer: requestObserver(metrics, log),
    ...(tracing ? { tracer: tracing.tracer } : {}),
  };
  const gateway = createGateway({
    ...common,
    services: SERVICES,
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
  });
  if (tls && callbackTlsPort !== undefined) {
    const callbacks = openCallbackPort(common, tls, threadFault(around));
    await listen(around, { listener: "callbacks", files, ...callbacks }, { host, port: callbackTlsPort });
  }
  await listen(around, { listener: "rest", app: gateway, files }, { host, port });
}
