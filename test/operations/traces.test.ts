import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isTracingEnabled } from "../../cli/observe/tracing.ts";
import { Canaries } from "../support/canaries.ts";
import { startCollector, type CollectedSpan } from "../support/collector.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { freePorts, startProcess, type ServiceProcess } from "../support/process.ts";
import { isInFull } from "../support/scale.ts";

const SERVER = 2;
const CLIENT = 3;
const CREATE = "paylink.links.v1.LinksService/CreatePaymentLink";

const canaries = new Canaries();
const { path: dataDir, remove } = await makeDataFolder();
afterAll(async () => await remove());
const database = await cloneDatabase();
const collector = await forFile(startCollector());
const [httpPort] = await freePorts(1);
const env = {
  DATABASE_URL: database.url.replace("paylink@", `paylink:${canaries.new("DATABASE_URL")}@`),
  PAYLINK_SEED: "demo",
  CORE_TOKEN: canaries.new("CORE_TOKEN"),
  CORE_HTTP_PORT: String(httpPort),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "50",
};

/** Creates a link below a span of ours, with a canary wherever there is room for one, and answers the trace's id. */
async function createLink(service: ServiceProcess): Promise<{ traceId: string; parent: string }> {
  const [{ test_key: key }] = JSON.parse(await readFile(join(dataDir, "demo-keys.json"), "utf8"));
  const [traceId, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const texts = Object.fromEntries(
    ["reference", "description", "product_ref", "details"].map((name) => [name, canaries.new(name)]),
  );
  const response = await fetch(`${service.baseUrl}/v1/payment_links`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${canaries.keep("API key", key)}`,
      "content-type": "application/json",
      "idempotency-key": canaries.new("idempotency key"),
      "user-agent": canaries.new("user agent"),
      cookie: canaries.new("cookie"),
      baggage: `a=${canaries.new("baggage")}`,
      traceparent: `00-${traceId}-${parent}-01`,
    },
    body: JSON.stringify({
      amount: 5000,
      currency: "BRL",
      ...texts,
      metadata: { a: canaries.new("metadata") },
    }),
  });
  expect(response.status).toBe(201);
  return { traceId, parent };
}

/** The spans of a trace, once all that are to be there are. */
async function spansOf(traceId: string): Promise<CollectedSpan[]> {
  const found = (): CollectedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  await expect
    .poll(() => found().filter(({ attributes }) => "http.route" in attributes), { timeout: 10_000 })
    .toHaveLength(1);
  await expect
    .poll(() => found().map(({ name }) => name), { timeout: 10_000 })
    .toContainEqual(expect.stringMatching(/^commit /));
  await expect.poll(() => found().filter(({ name }) => name === CREATE), { timeout: 10_000 }).toHaveLength(2);
  return found();
}

function expectNested(
  spans: readonly CollectedSpan[],
  parent: string,
  services: readonly [string, string],
): void {
  const only = (fits: (span: CollectedSpan) => boolean): CollectedSpan => {
    const [first, ...others] = spans.filter(fits);
    expect(others).toEqual([]);
    return first as CollectedSpan;
  };
  const request = only(({ attributes }) => "http.route" in attributes);
  expect(request).toMatchObject({
    name: "POST /v1/payment_links",
    kind: SERVER,
    parentSpanId: parent,
    service: services[0],
    attributes: { "http.request.method": "POST", "http.route": "/v1/payment_links" },
  });
  const asked = only(({ name, kind }) => name === CREATE && kind === CLIENT);
  expect(asked).toMatchObject({ parentSpanId: request.spanId, service: services[0] });
  const call = only(({ name, kind }) => name === CREATE && kind === SERVER);
  expect(call).toMatchObject({
    parentSpanId: asked.spanId,
    service: services[1],
    attributes: { "rpc.method": CREATE, "paylink.mode": "test" },
  });
  const commit = only(({ name }) => name.startsWith("commit "));
  expect(commit).toMatchObject({
    kind: CLIENT,
    parentSpanId: call.spanId,
    service: services[1],
    attributes: { "db.system.name": "postgresql", "db.namespace": "test", "db.operation.name": "WITH" },
  });
  // Every statement is below one of the calls, and none says more than its name.
  const ids = new Set(spans.map(({ spanId }) => spanId));
  for (const span of spans.filter(({ attributes }) => "db.system.name" in attributes)) {
    expect(ids).toContain(span.parentSpanId);
    expect(Object.keys(span.attributes)).not.toContain("db.query.text");
  }
}

test("one process: a request's trace goes on from its client's, down to the statement", async () => {
  const service = await startProcess(dataDir, env);
  const { traceId, parent } = await createLink(service);
  expectNested(await spansOf(traceId), parent, ["paylink", "paylink"]);
  await expect.poll(() => service.output()).toContain(`"trace_id":"${traceId}"`);
  expect(await service.end("SIGTERM")).toBe(0);
});

test.runIf(isInFull())("gateway and core apart: one trace over both", async () => {
  const core = await startProcess(dataDir, { ...env, OTEL_SERVICE_NAME: "my-core" }, "core");
  const gateway = await startProcess(dataDir, env, "gateway");
  const { traceId, parent } = await createLink(gateway);
  expectNested(await spansOf(traceId), parent, ["paylink-gateway", "my-core"]);
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(await core.end("SIGTERM")).toBe(0);
});

test("no canary is in anything that was exported", () => {
  expect(collector.spans.length).toBeGreaterThan(50);
  expect(canaries.foundIn(collector.text())).toEqual([]);
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://x" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://x" }, true],
  [{ OTEL_TRACES_EXPORTER: "console" }, true],
  [{ OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://x" }, false],
  [{ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://x" }, false],
  [{ OTEL_SERVICE_NAME: "paylink" }, false],
])("whether %j asks for traces: %j", (given, isEnabled) => {
  expect(isTracingEnabled(given)).toBe(isEnabled);
});
