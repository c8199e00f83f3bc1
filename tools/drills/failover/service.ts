import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startPart, type Part } from "../../../test/support/part.ts";
import { freePorts } from "./ports.ts";
import { until } from "./waiting.ts";

// Its migrations wait for the standby too, on a machine that may be busy.
const START_TIMEOUT_MS = 120_000;

/** The service as its own process, as `npm start` runs it, with its demo tenant. */
export interface Service extends Pick<Part, "end" | "output"> {
  readonly baseUrl: string;
  readonly metricsUrl: string;
  readonly apiKey: string;
  /** Whether the process is there no more. */
  hasEnded(): boolean;
}

/** Starts the service on the database and waits until it is ready. */
export async function startService(folder: string, databaseUrl: string): Promise<Service> {
  const [port, corePort, metricsPort] = await freePorts(3);
  const dataDir = join(folder, "service");
  await mkdir(dataDir, { mode: 0o700 });
  const { child, output, end } = startPart("all", {
    PORT: String(port),
    CORE_PORT: String(corePort),
    CORE_HTTP_PORT: "0",
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PAYLINK_SEED: "demo",
    LOG_LEVEL: "error",
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  await until("the service", START_TIMEOUT_MS, async () => {
    return hasEnded() || (await fetch(`${metricsUrl}/readyz`)).ok;
  });
  if (hasEnded()) throw new Error(`The service ended:\n${output()}`);
  const keys = await readFile(join(dataDir, "demo-keys.json"), "utf8");
  const [{ test_key: apiKey }] = JSON.parse(keys) as [{ test_key: string }];
  return { baseUrl: `http://127.0.0.1:${port}`, metricsUrl, apiKey, output, end, hasEnded };
}
