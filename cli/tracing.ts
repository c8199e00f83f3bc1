import { trace, type Tracer } from "@opentelemetry/api";
import { setTimeout as wait } from "node:timers/promises";

const STOP_MS = 2000;

/** Spans of this process, and their end. */
export interface Tracing {
  readonly tracer: Tracer;
  stop(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Whether the environment asks for traces, as OpenTelemetry names its variables. */
export function isTracingAsked(env: Env): boolean {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  const exporter = env["OTEL_TRACES_EXPORTER"];
  if (exporter) return exporter !== "none";
  return Boolean(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
}

/** Starts the SDK, which reads the rest of its variables itself. It is not even loaded when nobody asks for traces. */
export async function startTracing(env: Env, role: string): Promise<Tracing | undefined> {
  if (!isTracingAsked(env)) return undefined;
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const isNamed = env["OTEL_SERVICE_NAME"] || env["OTEL_RESOURCE_ATTRIBUTES"]?.includes("service.name=");
  const serviceName = role === "all" ? "paylink" : `paylink-${role}`;
  const sdk = new NodeSDK({
    ...(isNamed ? {} : { serviceName }),
    // Metrics are scraped, and logs are written to stderr.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  return {
    tracer: trace.getTracer("paylink"),
    // A collector that cannot be reached keeps nobody.
    stop: async () => {
      await Promise.race([sdk.shutdown().catch(() => undefined), wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}
