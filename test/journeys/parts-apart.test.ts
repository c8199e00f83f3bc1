import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { seedPricing } from "../../cli/serve/seed.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { newAuthority, writeFiles, type Pair } from "../support/certificates.ts";
import { cloneDatabase } from "../support/database.ts";
import { expectError } from "../support/error-answer.ts";
import { startPart, type Part } from "../support/part.ts";
import { freePorts, runCommand } from "../support/process.ts";
import { OF_PAYMENTS, startReceiver, verified } from "../support/receiver.ts";

const CORE_TOKEN = "token-of-the-cores-themselves";
/** All that a gateway needs to be allowed. */
const GATEWAY = [
  "providers:write",
  "identity:read",
  "pricing:write",
  "ledger:write",
  "links:write",
  "checkout:write",
];
const HEALED = { timeout: 90_000, interval: 50 };
const LINK = { amount: 15_990, currency: "BRL", reference: "order-1" };

/** Two cores, two gateways and a worker, each a process, everything between them and to them over TLS. */
let cores: { readonly start: () => Part; readonly port: number; part: Part }[];
const gateways: { readonly port: number; readonly part: Part }[] = [];
let worker: Part;
let ca: string;
let client: Pair;
let apiKey: string;
let environment: Readonly<Record<string, string>>;
let callbackPort: number;
let tenantId: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await cloneDatabase();
  const authority = await newAuthority("Parts");
  const [server, own] = [await authority.issue(), await authority.issue()];
  ({ cert: ca } = authority);
  client = own;
  const files = await writeFiles({
    ca,
    "server.cert": server.cert,
    "server.key": server.key,
    "client.cert": own.cert,
    "client.key": own.key,
  });
  const { paths } = files;
  const [h2a = 0, h1a = 0, h2b = 0, h1b = 0, ga = 0, gb = 0, gc = 0] = await freePorts(7);
  callbackPort = gc;
  const common: Record<string, string> = {
    CORE_TOKEN,
    DATA_KEY: Buffer.alloc(32, 3).toString("base64"),
    DATABASE_URL: database.url,
    HOST: "localhost",
    LOG_LEVEL: "warn",
    METRICS_PORT: "0",
    WEBHOOK_ALLOW_LOOPBACK: "true",
    PUBLIC_URL: "https://pay.example.test",
    CORE_TLS_CERT: paths["server.cert"],
    CORE_TLS_KEY: paths["server.key"],
    CORE_TLS_CLIENT_CA: paths.ca,
    CORE_CA: paths.ca,
    CORE_CLIENT_CERT: paths["client.cert"],
    CORE_CLIENT_KEY: paths["client.key"],
    CORE_HTTP_URL: [h1a, h1b].map((port) => `https://localhost:${port}`).join(","),
    TLS_CERT: paths["server.cert"],
    TLS_KEY: paths["server.key"],
  };
  environment = common;
  const core = (port: number, httpPort: number) => {
    const start = (): Part =>
      startPart("core", { ...common, CORE_PORT: String(port), CORE_HTTP_PORT: String(httpPort) });
    return { start, port, part: start() };
  };
  cores = [core(h2a, h1a), core(h2b, h1b)];
  worker = startPart("worker", common);
  close = async () => {
    for (const part of [
      worker,
      ...gateways.map((gateway) => gateway.part),
      ...cores.map((each) => each.part),
    ])
      await part.end("SIGKILL");
    await files.remove();
  };
  await Promise.all(cores.map(({ port }) => serving(port)));
  const identity = createClient(IdentityService, transportTo(h2a));
  const internal = { headers: { authorization: `Bearer ${CORE_TOKEN}` } };
  await seedPricing(createClient(PricingService, transportTo(h2b)), internal.headers);
  const gatewayToken = { name: "gateways", permissions: GATEWAY, isGateway: true };
  const { token } = await identity.createCoreToken(gatewayToken, internal);
  for (const port of [ga, gb]) {
    const callbacks = port === ga ? { CALLBACK_TLS_PORT: String(callbackPort) } : {};
    const env = { ...common, ...callbacks, CORE_TOKEN: token, PORT: String(port) };
    gateways.push({ port, part: startPart("gateway", env) });
  }
  await Promise.all(gateways.map(({ port }) => ready(port)));
  ({ id: tenantId } = await identity.createTenant({ name: "Shop", payoutCurrency: "BRL" }, internal));
  ({ key: apiKey } = await identity.createApiKey({ tenantId, mode: Mode.TEST }, internal));
});
afterAll(async () => await close());

function transportTo(port: number): Transport {
  return createGrpcTransport({ baseUrl: `https://localhost:${port}`, nodeOptions: { ca, ...client } });
}

async function serving(port: number): Promise<void> {
  const health = createClient(Health, transportTo(port));
  await vi.waitUntil(async () => (await health.check({}).catch(() => undefined))?.status === 1, HEALED);
}

async function ready(port: number): Promise<void> {
  await vi.waitUntil(
    async () => (await call(port, "GET", "/healthz").catch(() => undefined))?.status === 200,
    HEALED,
  );
}

const agent = new Agent({ keepAlive: true });

async function call(port: number, method: "GET" | "POST", path: string, body?: object, key?: string) {
  const sent = request(`https://localhost:${port}${path}`, {
    agent,
    ca,
    method,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "POST" ? { "idempotency-key": key ?? randomUUID() } : {}),
    },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: answer,
    body: JSON.parse(answer),
  };
}

const portOf = (index: number): number => gateways[index]?.port ?? 0;

test("a gateway's port of callbacks asks the cores, and serves nothing else", async () => {
  const callback = `/providers/${"x".repeat(43)}/pix`;
  expect(await call(callbackPort, "POST", callback)).toMatchObject({ status: 404 });
  expect(await call(callbackPort, "GET", "/healthz")).toMatchObject({ status: 404 });
});

test("a link made through one gateway is paid through the other, reported by the worker, and replayed by both", async () => {
  const receiver = await startReceiver();
  const webhooks = createClient(WebhooksService, transportTo(cores[0]?.port ?? 0));
  const { secret } = await webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    {
      headers: {
        authorization: `Bearer ${CORE_TOKEN}`,
        "paylink-tenant": tenantId,
        "paylink-mode": "test",
      },
    },
  );
  const made = await call(portOf(0), "POST", "/v1/payment_links", LINK, "one");
  expect(made.status).toBe(201);
  const again = await call(portOf(1), "POST", "/v1/payment_links", LINK, "one");
  expect(again.headers["idempotent-replay"]).toBe("true");
  expect(again.text).toBe(made.text);
  const path = `/v1/payment_links/${made.body.id}/simulate_payment`;
  const paid = await call(portOf(1), "POST", path, { outcome: "succeeded" });
  expect(paid.body).toMatchObject({ status: "succeeded", gross_amount: 15_990 });
  const read = await call(portOf(0), "GET", `/v1/payments/${paid.body.id}`);
  expect(read.body).toEqual(paid.body);
  const [received] = await receiver.until(1);
  expect(verified(received as never, secret).data.payment).toEqual(paid.body);
  await receiver.close();
});

test("an internal team's token is made, used, listed and revoked on the command line", async () => {
  const port = cores[1]?.port ?? 0;
  const paylink = async (...args: string[]) => {
    const env = { ...environment, CORE_URL: `https://localhost:${port}` };
    const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const made = await paylink("tokens", "create", "--name", "billing", "--allow", "pricing:read,ledger:read");
  expect(made).toMatchObject({ id: expect.stringMatching(/^ctk_/), token: expect.stringMatching(/^core_/) });
  const pricing = createClient(PricingService, transportTo(port));
  const headers = { authorization: `Bearer ${made.token}` };
  expect((await pricing.listSigningKeys({}, { headers })).keys).not.toEqual([]);
  await expect(pricing.createQuote({}, { headers })).rejects.toThrow(
    "The core token may not write on pricing.",
  );
  const listed = (await paylink("tokens", "list")).find(({ id }: { id: string }) => id === made.id);
  expect(listed).toMatchObject({
    id: made.id,
    name: "billing",
    permissions: ["pricing:read", "ledger:read"],
  });
  expect(JSON.stringify(listed)).not.toContain(made.token);
  expect(await paylink("tokens", "revoke", made.id)).toMatchObject({ revoked_at: expect.any(String) });
  await expect(pricing.listSigningKeys({}, { headers })).rejects.toThrow("not good any more");
});

test("while one core of two is gone no request fails", async () => {
  await cores[0]?.part.end("SIGKILL");
  for (let index = 0; index < 20; index++) {
    const { status } = await call(portOf(index % 2), "POST", "/v1/payment_links", LINK);
    expect(status).toBe(201);
  }
});

test("with every core gone it is 503 with Retry-After, and heals by itself when one is back", async () => {
  await cores[1]?.part.end("SIGKILL");
  for (const { port } of gateways) {
    const refused = await call(port, "POST", "/v1/payment_links", LINK, "during");
    expectError(refused, { status: 503, code: "service_unavailable" });
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    await expect.poll(async () => (await call(port, "GET", "/healthz")).status, HEALED).toBe(503);
  }
  const [first] = cores;
  if (!first) throw new Error("no core");
  first.part = first.start();
  await serving(first.port);
  const [one, two] = [
    await call(portOf(0), "POST", "/v1/payment_links", LINK, "during"),
    await call(portOf(1), "POST", "/v1/payment_links", LINK, "during"),
  ];
  expect(one.status).toBe(201);
  expect(two.text).toBe(one.text);
  await ready(portOf(0));
});

test("each part ends with exit code 0 on SIGTERM", async () => {
  const parts = [worker, ...gateways.map(({ part }) => part), cores[0]?.part];
  for (const part of parts) expect(await part?.end("SIGTERM")).toBe(0);
});
