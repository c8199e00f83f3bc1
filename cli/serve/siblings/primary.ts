import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { Config } from "../../../src/platform/config/config.ts";
import { Readiness } from "../../../src/platform/observe/readiness.ts";
import { ensureCoreToken } from "../../operate/keys/core-token.ts";
import { openDatabase, type DatabaseListeners } from "../database.ts";
import { Ending } from "../ending.ts";
import { openLog, type SafeLog } from "../../observe/log.ts";
import { listenMetrics } from "../../observe/metrics-server.ts";
import type { Role } from "../role.ts";
import { SEAT } from "./channel.ts";
import { Siblings } from "./siblings.ts";
import { SummedMetrics } from "./summed-metrics.ts";

// Above what siblings need to end by themselves.
const MORE_MS = 1000;

/**
 * Runs several processes of a role behind one port. This one has the database, if that is embedded, and the metrics of
 * all; it serves no request itself. Resolves when all of them serve.
 */
export async function servePrimary(
  config: Config,
  role: Role,
  count: number,
  listeners: (log: SafeLog) => DatabaseListeners,
): Promise<void> {
  const open = openLog(config.logLevel);
  const { log } = open;
  // The siblings wait and drain.
  const timeoutMs = config.drainDelayMs + config.drainTimeoutMs + MORE_MS;
  const env: Record<string, string> = {};
  const registry = new Registry();
  const restarts = restartsOf(registry, () => siblings.size);
  const siblings: Siblings = new Siblings({
    count,
    env,
    log,
    onLost: (seat) => {
      restarts.inc();
      void metrics.keep(seat);
    },
  });
  const metrics = new SummedMetrics(registry, async () => await siblings.ask("metrics"));
  const readiness = new Readiness(async () => [...(await siblings.ask("readiness")).values()].includes(true));
  const ending = new Ending({ log: open, readiness, delayMs: 0, timeoutMs });
  ending.listen();
  await listenMetrics({ config, log, ending, registry: metrics }, readiness);
  await ensureCoreToken(config);
  if (role !== "gateway") {
    const database = await openDatabase(config, role, listeners(log), count).opened;
    ending.addBase(database);
    env[SEAT.databaseUrl] = database.url;
  }
  // Also when they are still starting.
  ending.addWork({ stop: async () => await siblings.stop() });
  process.on("SIGHUP", () => siblings.signal("SIGHUP"));
  await siblings.start();
}

function restartsOf(registry: Registry, sizeNow: () => number): Counter {
  collectDefaultMetrics({ register: registry });
  const running: Gauge = new Gauge({
    name: "paylink_siblings",
    help: "Processes that serve behind one port.",
    registers: [registry],
    collect: () => running.set(sizeNow()),
  });
  return new Counter({
    name: "paylink_sibling_restarts_total",
    help: "Processes that ended by themselves and were replaced.",
    registers: [registry],
  });
}
