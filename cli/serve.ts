import type { Transport } from "@connectrpc/connect";
import { pino, type Logger } from "pino";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { requireNotice } from "../gateway/api-versions.ts";
import { createGateway } from "../gateway/app.ts";
import { messageWriter } from "../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../src/app.ts";
import { createCoreHttpServer, createCoreServer } from "../src/listeners.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { Config } from "../src/platform/config.ts";
import { ensureCoreToken } from "./core-token.ts";
import { coreTransport } from "./core-transport.ts";
import { ensureDataKey } from "./data-key.ts";
import { openDatabase } from "./database.ts";
import type { Role } from "./role.ts";
import { demoText, seedDemo } from "./seed.ts";
import { API_VERSIONS } from "./api-versions.ts";
import { Certificates } from "./certificates.ts";
import { readClientTls } from "./tls.ts";

/** A part that runs, and how to end it. */
interface Stoppable {
  stop(): Promise<unknown>;
}

const SERVICES = [IdentityService, PricingService, LedgerService, LinksService];
const READY_TIMEOUT_MS = 2000;

/** Runs the service, or one part of it. Resolves when it is ready; a signal then drains and ends the process. */
export async function serve(config: Config, role: Role): Promise<void> {
  requireNotice(API_VERSIONS);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const parts: Stoppable[] = [];
  const certificates = new Certificates();
  stopOnSignal(parts, log);
  renewOnSignal(certificates, log);
  const coreToken = await ensureCoreToken(config);
  if (role === "gateway") {
    const transport = coreTransport(config.coreHttpUrls, readClientTls(config.coreClientTls));
    await startGateway(
      config,
      transport,
      coreToken,
      () => coreAnswers(transport, coreToken),
      log,
      parts,
      certificates,
    );
    return;
  }
  const core = await startCore(config, coreToken, log, parts);
  if (role !== "core") parts.push(core.startWorker());
  if (role !== "worker") await listenCore(config, core, role, log, parts, certificates);
  const demo = config.seed === "demo" ? await seedDemo(config, core.transport, coreToken) : [];
  if (role === "all")
    await startGateway(config, core.transport, coreToken, core.isReady, log, parts, certificates);
  if (demo.length > 0) process.stdout.write(demoText(demo, config.publicUrl));
}

/** A gateway of its own is ready when a core answers it. */
async function coreAnswers(transport: Transport, coreToken: string): Promise<boolean> {
  const header = { authorization: `Bearer ${coreToken}` };
  const { listSigningKeys } = PricingService.method;
  const answer = transport.unary(listSigningKeys, undefined, READY_TIMEOUT_MS, header, {});
  return await answer.then(
    () => true,
    () => false,
  );
}

async function startCore(config: Config, coreToken: string, log: Logger, parts: Stoppable[]): Promise<Core> {
  const database = await openDatabase(
    config,
    (line) => log.info(line),
    (detail) => {
      log.fatal(detail);
      process.exit(1);
    },
  );
  parts.push(database);
  await migrate(database.url);
  const { checkoutBase, mediaBase } = config;
  const core = await createCore({
    databaseUrl: database.url,
    coreToken,
    apiVersions: API_VERSIONS,
    checkoutBase,
    mediaBase,
    dataKey: await ensureDataKey(config),
    allowLoopbackWebhooks: config.allowLoopbackWebhooks,
    jsonWriter: messageWriter,
    clock: systemClock,
    log: {
      info: (line) => log.info(line),
      error: (details, message) => log.error(details, message),
    },
  });
  parts.push({ stop: () => core.close() });
  return core;
}

async function listenCore(
  config: Config,
  core: Core,
  role: Role,
  log: Logger,
  parts: Stoppable[],
  certificates: Certificates,
): Promise<void> {
  const { host, corePort, coreHttpPort, coreTls } = config;
  const tls = certificates.read(coreTls);
  const http2 = await createCoreServer(core, tls);
  certificates.keep(http2.server, coreTls);
  parts.push({ stop: () => http2.close() });
  log.info(`core: gRPC and Connect over HTTP/2 at ${await http2.listen({ host, port: corePort })}`);
  if (role === "all") return;
  const http = await createCoreHttpServer(core, tls);
  certificates.keep(http.server, coreTls);
  parts.push({ stop: () => http.close() });
  log.info(`core: Connect over HTTP/1.1 at ${await http.listen({ host, port: coreHttpPort })}`);
}

async function startGateway(
  config: Config,
  transport: Transport,
  coreToken: string,
  isReady: () => Promise<boolean>,
  log: Logger,
  parts: Stoppable[],
  certificates: Certificates,
): Promise<void> {
  const tls = certificates.read(config.gatewayTls);
  const gateway = createGateway({
    transport,
    services: SERVICES,
    coreToken,
    versions: API_VERSIONS,
    logger: log,
    isReady,
    tls,
  });
  certificates.keep(gateway.server, config.gatewayTls);
  parts.push({ stop: () => gateway.close() });
  log.info(`gateway: REST at ${await gateway.listen({ host: config.host, port: config.port })}`);
}

/** SIGHUP, which would else end the process, makes it read its certificates again. */
function renewOnSignal(certificates: Certificates, log: Logger): void {
  process.on("SIGHUP", () => {
    try {
      certificates.renew();
      log.info("certificates read again");
    } catch (error) {
      log.error({ err: error }, "certificates cannot be read again: the old ones stay");
    }
  });
}

/** Ends the parts in the reverse order of their start: doors first, the database last. */
function stopOnSignal(parts: Stoppable[], log: Logger): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info("stopping");
    try {
      for (const part of parts.toReversed()) await part.stop();
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, "could not stop cleanly");
      process.exit(1);
    }
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
}
