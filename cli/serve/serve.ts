import { lookup } from "node:dns/promises";
import { requireNotice } from "../../gateway/rest/api-versions.ts";
import { ConfigError, type Config } from "../../src/platform/config/config.ts";
import { Readiness } from "../../src/platform/observe/readiness.ts";
import packageJson from "../../package.json" with { type: "json" };
import { API_VERSIONS } from "./api-versions.ts";
import { Certificates } from "./certificates.ts";
import { ensureCoreToken } from "../operate/keys/core-token.ts";
import { openDatabase, type DatabaseListeners } from "./database.ts";
import { Ending } from "./ending.ts";
import { openLog, type SafeLog } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { listenMetrics } from "../observe/metrics-server.ts";
import { Notice } from "../observe/notice.ts";
import type { StartedParts, Surroundings } from "./parts.ts";
import type { Role } from "./role.ts";
import { servePrimary } from "./siblings/primary.ts";
import { Seat } from "./siblings/seat.ts";
import { startTracing } from "../observe/tracing.ts";

/**
 * Runs the service, or one part of it, in so many processes behind one port. Resolves when it is ready. A signal then
 * drains and ends it.
 */
export async function serve(config: Config, role: Role, processes = 1): Promise<void> {
  requireNotice(API_VERSIONS);
  const seat = Seat.ofProcess();
  try {
    await requireAddress(config.host);
    if (processes > 1 && !seat) await servePrimary(config, role, processes, listenersOf);
    else await serveHere(config, role, seat);
    seat?.reportStarted();
  } catch (error) {
    const plain = await plainly(error);
    if (!seat) throw plain;
    await seat.reportFailure(plain.message);
    process.exit(1);
  }
}

async function serveHere(config: Config, role: Role, seat: Seat | undefined): Promise<void> {
  const open = openLog(config.logLevel, seat !== undefined);
  // It is not ready before everything has started.
  let isReady: (() => Promise<boolean>) | undefined;
  const readiness = new Readiness(async () => (await isReady?.()) ?? false);
  const { drainDelayMs: delayMs, drainTimeoutMs: timeoutMs } = config;
  const ending = new Ending({ log: open, readiness, delayMs, timeoutMs });
  ending.listen(seat !== undefined);
  try {
    const parts = await start({ config, role, log: open.log, readiness, ending, seat });
    isReady = parts.isReady;
    parts.begin();
  } catch (error) {
    if (!(error instanceof ConfigError)) open.log.fatal({ err: error }, "could not start");
    throw error;
  }
}

/** Throws ConfigError if a name has no address: the error of a listener names neither the variable nor what to do. */
async function requireAddress(host: string): Promise<void> {
  await lookup(host).catch(() => {
    throw new ConfigError(
      `HOST must be an address of this machine, such as 127.0.0.1 or 0.0.0.0, or its name: ${host} does not resolve.`,
    );
  });
}

/** Returns the error with its text only: its other properties may hold the database's address. */
async function plainly(error: unknown): Promise<Error> {
  if (error instanceof ConfigError) return error;
  const { failureText } = await import("../output/failure-text.ts");
  return new Error(failureText(error));
}

interface Beginning {
  readonly config: Config;
  readonly role: Role;
  readonly log: SafeLog;
  readonly readiness: Readiness;
  readonly ending: Ending;
  readonly seat: Seat | undefined;
}

/** Starts the role's parts. The database starts while their code is loaded, which takes longer. */
async function start({ config, role, log, readiness, ending, seat }: Beginning): Promise<StartedParts> {
  const tracing = await startTracing(process.env, role);
  if (tracing) ending.addBase(tracing);
  const metrics = new Metrics(role, packageJson.version);
  const certificates = new Certificates();
  renewOnSignal(certificates, log);
  const around: Surroundings = { config, log, metrics, tracing, ending, certificates, seat };
  const { isReady } = readiness;
  if (!seat || seat.isFirst) {
    for (const text of config.warnings) log.warn({ notice: new Notice(text) }, "notice");
  }
  if (seat) seat.attend({ metrics, isReady, end: () => void ending.end("SIGTERM") });
  else await listenMetrics({ ...around, registry: metrics.registry }, readiness);
  const coreToken = await ensureCoreToken(config);
  if (role === "gateway") {
    const { startFront } = await import("./parts.ts");
    return await startFront(around, coreToken, isReady);
  }
  const opening = openDatabase(
    { ...config, databaseUrl: seat?.databaseUrl ?? config.databaseUrl },
    role,
    listenersOf(log),
  );
  await opening.underWay;
  const parts = import("./parts.ts");
  const database = await opening.opened;
  ending.addBase(database);
  const { startBack } = await parts;
  return await startBack(around, role, database, coreToken, isReady);
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
