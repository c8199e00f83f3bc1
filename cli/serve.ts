import { requireNotice } from "../gateway/api-versions.ts";
import { ConfigError, type Config } from "../src/platform/config.ts";
import { Readiness } from "../src/platform/readiness.ts";
import packageJson from "../package.json" with { type: "json" };
import { API_VERSIONS } from "./api-versions.ts";
import { Certificates } from "./certificates.ts";
import { ensureCoreToken } from "./core-token.ts";
import { openDatabase, type DatabaseListeners } from "./database.ts";
import { Ending } from "./ending.ts";
import { openLog, type SafeLog } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { MetricsServer } from "./metrics-server.ts";
import { Notice } from "./notice.ts";
import type { StartedParts, Surroundings } from "./parts.ts";
import type { Role } from "./role.ts";
import { startTracing } from "./tracing.ts";

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
    const parts = await start(config, role, open.log, readiness, ending);
    isReady = parts.isReady;
    parts.begin();
  } catch (error) {
    if (!(error instanceof ConfigError)) open.log.fatal({ err: error }, "could not start");
    throw await plainly(error);
  }
}

/** Returns the error with its text only: its other properties may hold the database's address. */
async function plainly(error: unknown): Promise<Error> {
  if (error instanceof ConfigError) return error;
  const { failureText } = await import("./failure-text.ts");
  return new Error(failureText(error));
}

/** Starts the role's parts. The database starts while their code is loaded, which takes longer. */
async function start(
  config: Config,
  role: Role,
  log: SafeLog,
  readiness: Readiness,
  ending: Ending,
): Promise<StartedParts> {
  const tracing = await startTracing(process.env, role);
  if (tracing) ending.addBase(tracing);
  const metrics = new Metrics(role, packageJson.version);
  const certificates = new Certificates();
  renewOnSignal(certificates, log);
  const around: Surroundings = { config, log, metrics, tracing, ending, certificates };
  await listenMetrics(around, readiness);
  const coreToken = await ensureCoreToken(config);
  if (role === "gateway") {
    const { startFront } = await import("./parts.ts");
    return await startFront(around, coreToken, readiness.isReady);
  }
  const opening = openDatabase(config, listenersOf(log));
  await opening.underWay;
  const parts = import("./parts.ts");
  const database = await opening.opened;
  ending.addBase(database);
  const { startBack } = await parts;
  return await startBack(around, role, database, coreToken, readiness.isReady);
}

function listenersOf(log: SafeLog): DatabaseListeners {
  return {
    onNotice: (line) => log.info({ notice: new Notice(line) }, "notice"),
    onRestart: (detail) => log.error({ notice: new Notice(detail) }, "the database is started anew"),
    onExit: (detail) => {
      log.fatal({ notice: new Notice(detail) }, "the database ended");
      process.exit(1);
    },
  };
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
