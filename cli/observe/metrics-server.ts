import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../../src/platform/config/config.ts";
import type { Readiness } from "../../src/platform/observe/readiness.ts";
import type { Ending } from "../serve/ending.ts";
import type { SafeLog } from "./log.ts";
import { Notice } from "./notice.ts";

/** Metrics in Prometheus' text. */
interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface Surroundings {
  readonly config: Config;
  readonly log: SafeLog;
  readonly ending: Ending;
  readonly registry: Metrics;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Codes of a port that another process has, or that needs more rights. */
export const UNAVAILABLE_PORT: ReadonlySet<string> = new Set(["EADDRINUSE", "EACCES"]);

const FAILED: Answer = { status: 500, type: "text/plain", body: "The metrics cannot be read now.\n" };

/** The operator's listener for metrics and probes. Every role has it, until the very end of the process. */
class MetricsServer {
  readonly #server: Server;

  constructor(registry: Metrics, readiness: Readiness) {
    this.#server = createServer((request, response) => {
      void answer(request.url ?? "", registry, readiness)
        .catch(() => FAILED)
        .then(({ status, type, body }) => {
          response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
        });
    });
  }

  /** Returns the address, or undefined when the port is unavailable: the service runs without it. */
  async listen(host: string, port: number): Promise<string | undefined> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      if (!UNAVAILABLE_PORT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      return undefined;
    }
    const { address, port: taken, family } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function answer(url: string, registry: Metrics, readiness: Readiness): Promise<Answer> {
  const [path] = url.split("?");
  if (path === "/metrics") return await metricsOf(registry);
  if (path === "/livez") return health(true);
  if (path === "/readyz") return health(await readiness.isReady());
  return { status: 404, type: "text/plain", body: "/metrics, /livez or /readyz\n" };
}

async function metricsOf(registry: Metrics): Promise<Answer> {
  return { status: 200, type: registry.contentType, body: await registry.metrics() };
}

function health(isGood: boolean): Answer {
  const body = `{"status":"${isGood ? "ok" : "unavailable"}"}`;
  return { status: isGood ? 200 : 503, type: "application/json; charset=utf-8", body };
}

/** Starts the listener of metrics and probes, which ends last. */
export async function listenMetrics(
  { config, log, registry, ending }: Surroundings,
  readiness: Readiness,
): Promise<void> {
  if (config.metricsPort === undefined) return;
  const server = new MetricsServer(registry, readiness);
  const address = await server.listen(config.host, config.metricsPort);
  if (address === undefined) {
    const text = `METRICS_PORT ${config.metricsPort} is taken: there are no metrics. 0 takes any free port, none goes without.`;
    log.warn({ notice: new Notice(text) }, "notice");
    return;
  }
  ending.addBase({ stop: () => server.close() });
  log.info({ listener: "metrics", address }, "listening");
}
