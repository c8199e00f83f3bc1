import type { Transport } from "@connectrpc/connect";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createCallbackGateway, createGateway } from "../../gateway/app.ts";
import { WRONG_KEYS_PER_SECOND } from "../../gateway/rest/rate-limits.ts";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../../src/app.ts";
import { createCoreHttpServer, createCoreServer } from "../../src/listeners.ts";
import { bringUpToDate } from "../../src/migrations/up-to-date.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { boundedCheck } from "../../src/platform/observe/readiness.ts";
import { API_VERSIONS } from "./api-versions.ts";
import type { Certificates } from "./certificates.ts";
import { coreTransport, type CoreTransport } from "../core/core-transport.ts";
import { ensureDataKeys } from "../operate/keys/data-key.ts";
import type { OpenDatabase } from "./database.ts";
import type { Ending } from "./ending.ts";
import { listen } from "./listener.ts";
import type { SafeLog } from "../observe/log.ts";
import { openMediaStorage } from "./media-storage.ts";
import type { Metrics } from "../observe/metrics.ts";
import { coreObserver, requestObserver } from "../observe/observers.ts";
import type { Role } from "./role.ts";
import { demoText, isOwnerInvited, seedDemo } from "./seed.ts";
import type { Seat } from "./siblings/seat.ts";
import { readClientTls, readServerTls } from "./tls.ts";
import type { Tracing } from "../observe/tracing.ts";

const READY_TIMEOUT_MS = 1000;

/** Shared by all parts of the process. */
export interface Surroundings {
  readonly config: Config;
  readonly log: SafeLog;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly ending: Ending;
  readonly certificates: Certificates;
  /** Undefined: this process serves alone. */
  readonly seat: Seat | undefined;
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
    isReady: boundedCheck(async () => await anyCoreAnswers(transport, coreToken)),
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
  const { config, ending, seat } = around;
  const isFirst = seat?.isFirst ?? true;
  const core = await startCore(around, database, coreToken, isServing);
  if (role !== "worker") await listenCore(around, core);
  const demo = config.seed === "demo" && isFirst ? await seedDemo(config, core.transport, coreToken) : [];
  if (role === "all") await startGateway(around, role, core.transport, coreToken, isServing);
  if (demo.length > 0) {
    const invited = await isOwnerInvited(demo, core.transport, coreToken);
    process.stdout.write(demoText(demo, config.publicUrl, { isOwnerInvited: invited }));
  }
  return {
    isReady: core.isReady,
    begin: () => {
      if (role !== "core" && isFirst) ending.addWork(core.startWorker());
    },
  };
}

/** Returns whether any core answers, which makes a separate gateway ready. */
async function anyCoreAnswers({ each }: CoreTransport, coreToken: string): Promise<boolean> {
  const header = { authorization: `Bearer ${coreToken}` };
  const { listSigningKeys } = PricingService.method;
  const answers = each.map(
    async (core) => await core.unary(listSigningKeys, undefined, READY_TIMEOUT_MS, header, {}),
  );
  return await Promise.any(answers).then(
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
  const { config, log, metrics, tracing, ending, seat } = around;
  await bringUpToDate(database.url);
  const { checkoutBase, mediaBase } = config;
  const [dataKey, ...formerDataKeys] = await ensureDataKeys(config, database.url);
  const core = await createCore({
    databaseUrl: database.url,
    replica: config.replica,
    databaseTimeoutMs: config.databaseTimeoutMs,
    commitBatch: config.commitBatch,
    coreToken,
    isServing,
    apiVersions: API_VERSIONS,
    checkoutBase,
    publicUrl: config.callbackBase,
    mediaBase,
    consoleUrl: `${config.publicUrl}/console`,
    mail: config.mail,
    mediaStorage: openMediaStorage(config),
    quotas: config.quotas,
    dataKey,
    formerDataKeys,
    allowLoopbackWebhooks: config.allowLoopbackWebhooks,
    allowLoopbackProviders: config.allowLoopbackProviders,
    allowOpenReflection: config.allowOpenReflection,
    ...(config.ptax ? { ptax: config.ptax } : {}),
    jsonWriter: messageWriter,
    clock: systemClock,
    log,
    observer: coreObserver(metrics, log),
    ...(tracing ? { tracer: tracing.tracer } : {}),
  });
  ending.addBase({ stop: () => core.close() });
  metrics.watchPools(core);
  // Of several processes one reads what all of them have in common.
  if (seat?.isFirst ?? true) ending.addBase(metrics.watch(core, log));
  return core;
}

async function listenCore(around: Surroundings, core: Core): Promise<void> {
  const { config, certificates } = around;
  const { host, corePort, coreHttpPort, coreOrigins, coreTls: files } = config;
  const tls = certificates.read(files);
  const http2 = await createCoreServer(core, tls);
  await listen(around, { listener: "http2", app: http2, files }, { host, port: corePort });
  const http = await createCoreHttpServer(core, { tls, origins: coreOrigins });
  await listen(around, { listener: "http1", app: http, files }, { host, port: coreHttpPort });
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
    services: PUBLIC_SERVICES,
    publicUrl: config.publicUrl,
    // A separate gateway has no database, so it does not know whether this is a demo.
    allowsHttpConsole: config.allowHttpConsole ?? (role === "all" && config.isDemoMachine),
    mediaBase: config.mediaBase,
    trustedProxies: config.trustedProxies,
    certificateProxies: config.certificateProxies,
    rateLimits: { ...config.rateLimits, wrongKeysPerSecond: WRONG_KEYS_PER_SECOND },
    sharesCounts: around.seat !== undefined,
    sessionsPerAddress: config.sessionsPerAddress,
    isReady,
    tls,
  });
  if (files && callbackTlsPort !== undefined) {
    const asking = { ...files, asksForAny: true };
    const app = createCallbackGateway({ ...common, tls: readServerTls(asking) });
    await listen(around, { listener: "callbacks", app, files: asking }, { host, port: callbackTlsPort });
  }
  await listen(around, { listener: "rest", app: gateway, files }, { host, port });
}
