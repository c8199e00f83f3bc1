import { trace, type Tracer } from "@opentelemetry/api";
import { setTimeout as wait } from "node:timers/promises";

const STOP_MS = 2000;

/** The tracer of this process, and the function that stops it. */
export interface Tracing {
  readonly tracer: Tracer;
  stop(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns whether the environment asks for traces with OpenTelemetry's variables. */
export function isTracingEnabled(env: Env): boolean {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  const exporter = env["OTEL_TRACES_EXPORTER"];
  if (exporter) return exporter !== "none";
  return Boolean(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
}

/** Starts the SDK, which reads its other variables itself. Without a request for traces it is not even loaded. */
export async function startTracing(env: Env, role: string): Promise<Tracing | undefined> {
  if (!isTracingEnabled(env)) return undefined;
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const isNamed = env["OTEL_SERVICE_NAME"] || env["OTEL_RESOURCE_ATTRIBUTES"]?.includes("service.name=");
  const serviceName = role === "all" ? "paylink" : `paylink-${role}`;
  const sdk = new NodeSDK({
    ...(isNamed ? {} : { serviceName }),
    // Metrics are scraped, and logs go to stderr.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  return {
    tracer: trace.getTracer("paylink"),
    // An unreachable collector must not delay the end of the process.
    stop: async () => {
      await Promise.race([sdk.shutdown().catch(() => undefined), wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}
