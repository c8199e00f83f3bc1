import { PARTS, type Variable } from "./variable.ts";

type Rest = Omit<Variable, "name" | "readBy"> & ({ readonly default: string } | { readonly absent: string });

const all = (name: string, rest: Rest): Variable => ({ name, readBy: PARTS, ...rest });

/** Two variables that mean the same here, as only traces are sent. The second one wins. */
function both(name: string, rest: Rest): readonly Variable[] {
  const general = `OTEL_EXPORTER_OTLP_${name}`;
  const own = { absent: `\`${general}\``, example: rest.example };
  return [
    all(general, rest),
    all(`OTEL_EXPORTER_OTLP_TRACES_${name}`, { ...own, text: `As \`${general}\`, for traces.` }),
  ];
}

/** The variables of OpenTelemetry's SDK that work here. Its metrics and logs are off: `/metrics` and stderr have them. */
export const TRACING: readonly Variable[] = [
  all("OTEL_SDK_DISABLED", { default: "false", example: "true", text: "`true`: no traces." }),
  all("OTEL_TRACES_EXPORTER", {
    absent: "`otlp` if an endpoint is set, else `none`",
    example: "console",
    text: "Where traces go: `otlp`, `console` (stdout) or `none`.",
  }),
  all("OTEL_EXPORTER_OTLP_ENDPOINT", {
    absent: "no traces",
    example: "http://collector.example.com:4318",
    text: "The address of the collector, which turns traces on. Over HTTP `/v1/traces` is added.",
  }),
  all("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", {
    absent: "`OTEL_EXPORTER_OTLP_ENDPOINT`",
    example: "http://collector.example.com:4318/v1/traces",
    text: "The whole address of the collector for traces, to which nothing is added.",
  }),
  ...both("PROTOCOL", {
    default: "http/protobuf",
    example: "grpc",
    text: "`grpc`, `http/protobuf` or `http/json`.",
  }),
  ...both("HEADERS", {
    absent: "none",
    example: "authorization=Bearer%20an-example",
    text: "Headers that the collector needs, percent-encoded, with commas between them.",
  }),
  ...both("TIMEOUT", {
    default: "10000",
    example: "5000",
    text: "Milliseconds that the collector has to answer.",
  }),
  ...both("COMPRESSION", { default: "none", example: "gzip", text: "`gzip` or `none`." }),
  ...both("CERTIFICATE", {
    absent: "the system's authorities",
    example: "/etc/paylink/collector-ca.crt",
    text: "A PEM file: the authority to trust the collector by.",
  }),
  ...both("CLIENT_CERTIFICATE", {
    absent: "none",
    example: "/etc/paylink/traces.crt",
    text: "A PEM file: the certificate to present to the collector.",
  }),
  ...both("CLIENT_KEY", {
    absent: "none",
    example: "/etc/paylink/traces.key",
    text: "A PEM file: the private key of that certificate.",
  }),
  ...both("INSECURE", {
    default: "false",
    example: "true",
    text: "`true`: over `grpc` an endpoint without a scheme is spoken to in cleartext.",
  }),
  all("OTEL_SERVICE_NAME", {
    absent: "`paylink`, or `paylink-` and the role",
    example: "payments-core",
    text: "The name of the service in traces.",
  }),
  all("OTEL_RESOURCE_ATTRIBUTES", {
    absent: "none",
    example: "deployment.environment.name=production",
    text: "More that each trace says of the process, with commas between them.",
  }),
  all("OTEL_NODE_RESOURCE_DETECTORS", {
    default: "all",
    example: "env,process",
    text: "What is found out of the process: `env`, `host`, `os`, `process`, `serviceinstance`, or `none`.",
  }),
  all("OTEL_PROPAGATORS", {
    default: "tracecontext,baggage",
    example: "b3",
    text: "The headers by which a trace goes on from its caller: `tracecontext`, `baggage`, `b3`, `b3multi` or `none`.",
  }),
  all("OTEL_TRACES_SAMPLER", {
    default: "parentbased_always_on",
    example: "parentbased_traceidratio",
    text: "Which requests are traced: `always_on`, `always_off` or `traceidratio`, each with `parentbased_` before it to follow the caller's choice.",
  }),
  all("OTEL_TRACES_SAMPLER_ARG", {
    default: "1",
    example: "0.1",
    text: "The share of requests that `traceidratio` traces, 0 to 1.",
  }),
  all("OTEL_BSP_SCHEDULE_DELAY", {
    default: "5000",
    example: "1000",
    text: "Milliseconds between two batches of spans.",
  }),
  all("OTEL_BSP_EXPORT_TIMEOUT", {
    default: "30000",
    example: "10000",
    text: "Milliseconds that one batch may take.",
  }),
  all("OTEL_BSP_MAX_QUEUE_SIZE", {
    default: "2048",
    example: "8192",
    text: "How many spans wait at most; more are dropped.",
  }),
  all("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", {
    default: "512",
    example: "1024",
    text: "How many spans are in a batch at most.",
  }),
  all("OTEL_ATTRIBUTE_COUNT_LIMIT", {
    default: "128",
    example: "64",
    text: "How many attributes a span has at most.",
  }),
  all("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", {
    absent: "`OTEL_ATTRIBUTE_COUNT_LIMIT`",
    example: "64",
    text: "As `OTEL_ATTRIBUTE_COUNT_LIMIT`, for spans.",
  }),
  all("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", {
    absent: "no limit",
    example: "1000",
    text: "How many characters an attribute has at most.",
  }),
  all("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", {
    absent: "`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`",
    example: "1000",
    text: "As `OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`, for spans.",
  }),
  all("OTEL_SPAN_EVENT_COUNT_LIMIT", {
    default: "128",
    example: "64",
    text: "How many events a span has at most.",
  }),
  all("OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", {
    absent: "`OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT`",
    example: "64",
    text: "How many attributes an event of a span has at most.",
  }),
  all("OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT", {
    default: "128",
    example: "64",
    text: "Another name of `OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT`, which wins.",
  }),
  all("OTEL_SPAN_LINK_COUNT_LIMIT", {
    default: "128",
    example: "64",
    text: "How many links to other spans a span has at most.",
  }),
  all("OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", {
    absent: "`OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT`",
    example: "64",
    text: "How many attributes such a link has at most.",
  }),
  all("OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT", {
    default: "128",
    example: "64",
    text: "Another name of `OTEL_LINK_ATTRIBUTE_COUNT_LIMIT`, which wins.",
  }),
  all("OTEL_LOG_LEVEL", {
    absent: "no messages",
    example: "warn",
    text: "The least level of the SDK's own messages: `error`, `warn`, `info`, `debug`, `verbose` or `all`.",
  }),
];
