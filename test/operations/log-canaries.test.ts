import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { DescService } from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routesOf } from "../../gateway/transcode/route.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { Canaries } from "../support/canaries.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { freePorts, startProcess, type ServiceProcess } from "../support/process.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { randomFor } from "../support/seed.ts";

const BASES: Readonly<Record<string, object>> = {
  CreatePaymentLink: { amount: 5000, currency: "BRL" },
  CreateQuote: { amount: 5000, currency: "BRL", payment_method: "pix" },
  CreatePaymentIntent: { amount: 5000, currency: "BRL" },
};
/** Every name that a line may have, and its own. */
const NAMES = new Set(
  `level time msg request_id tenant mode route verb status outcome duration_ms rpc trace_id payment_id payment_ids codes
  count role core_token listener address signal notice err`.split(/\s+/),
);

const canaries = new Canaries();
let dataDir: string;
let remove: () => Promise<void>;
let database: { url: string; drop: () => Promise<void> };
let rows: DatabaseRows;
let receiver: Receiver;
let core: ServiceProcess;
let gateway: ServiceProcess;
let tenant: { id: string; key: string };

beforeAll(async () => {
  ({ path: dataDir, remove } = await makeDataFolder());
  database = await cloneDatabase();
  rows = await new DatabaseRows(database.url).open();
  receiver = await startReceiver();
  const dataKey = canaries.keep("DATA_KEY", randomBytes(32).toString("base64"));
  const [httpPort] = await freePorts(1);
  const env = {
    DATABASE_URL: database.url.replace("paylink@", `paylink:${canaries.new("DATABASE_URL")}@`),
    CORE_TOKEN: canaries.new("CORE_TOKEN"),
    DATA_KEY: dataKey,
    CORE_HTTP_PORT: String(httpPort),
    WEBHOOK_ALLOW_LOOPBACK: "true",
    PAYLINK_SEED: "none",
    LOG_LEVEL: "trace",
  };
  // The keys are printed on purpose, once: by a process that is not looked at.
  const seeding = await startProcess(dataDir, { ...env, PAYLINK_SEED: "demo" });
  await seeding.end("SIGTERM");
  const [{ id, test_key: key, live_key: live }] = JSON.parse(
    await readFile(join(dataDir, "demo-keys.json"), "utf8"),
  );
  tenant = { id, key: canaries.keep("API key", key) };
  canaries.keep("live API key", live);
  core = await startProcess(dataDir, env, "core");
  gateway = await startProcess(dataDir, { ...env, LOG_LEVEL: "info" }, "gateway");
});
afterAll(async () => {
  await Promise.all([core, gateway].map((service) => service.end("SIGKILL")));
  await receiver.close();
  await rows.close().catch(() => undefined);
  await remove();
});

/** Headers that hold a canary each, besides those that let a request in. */
function headers(key = tenant.key): Record<string, string> {
  const odd = [
    "user-agent",
    "cookie",
    "referer",
    "x-forwarded-for",
    "traceparent",
    "tracestate",
    "baggage",
    "accept",
  ];
  return {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": canaries.new("idempotency key"),
    ...Object.fromEntries(odd.map((name) => [name, canaries.new(`header ${name}`)])),
  };
}

async function send(path: string, body?: string, key?: string): Promise<{ status: number; text: string }> {
  const given = body === undefined ? { method: "GET" } : { method: "POST", body };
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    ...given,
    headers: headers(key),
    redirect: "manual",
  });
  return { status: response.status, text: await response.text() };
}

async function sendForm(path: string, form: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(form);
  return await fetch(`${gateway.baseUrl}${path}`, { method: "POST", body, redirect: "manual" });
}

function client<Service extends DescService>(service: Service): Client<Service> {
  const baseUrl = `http://127.0.0.1:${core.env["CORE_PORT"]}`;
  return createClient(service, createGrpcTransport({ baseUrl }));
}

function as(): { headers: Record<string, string> } {
  const { CORE_TOKEN: token = "" } = core.env;
  return { headers: { ...headers(token), "paylink-tenant": tenant.id, "paylink-mode": "test" } };
}

type Line = Record<string, unknown> & { readonly err?: { readonly code?: string } };

function linesOf(service: ServiceProcess): Line[] {
  return service
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

async function untilLine(service: ServiceProcess, fits: object): Promise<void> {
  await expect
    .poll(() => linesOf(service), { timeout: 10_000 })
    .toContainEqual(expect.objectContaining(fits));
}

test("every REST operation, with a canary in every text of it, writes its line and nothing of them", async () => {
  for (const { method, verb, path } of routesOf(CORE_SERVICES)) {
    const address = path.replaceAll(/:\w+/g, () => canaries.new(`path of ${method.name}`));
    const query = method.input.fields.map(({ name }) => `${name}=${canaries.new(`query ${name}`)}`).join("&");
    await send(`${address}?${query}`, verb === "POST" ? "{}" : undefined);
    const body = canaries.message(method.input, "json");
    await send(address, verb === "POST" ? JSON.stringify(body) : undefined);
    const base = BASES[method.name];
    if (!base) continue;
    expect((await send(path, JSON.stringify(base))).status).toBe(201);
    for (const [name, value] of Object.entries(body)) {
      const { status } = await send(path, JSON.stringify({ ...base, [name]: value }));
      if (name === "reference" || name === "description") expect(status).toBe(201);
    }
    await untilLine(gateway, {
      tenant: tenant.id,
      mode: "test",
      route: path,
      verb,
      outcome: "ok",
      status: 201,
    });
    await untilLine(core, {
      tenant: tenant.id,
      rpc: `${method.parent.typeName}/${method.name}`,
      outcome: "ok",
    });
  }
});

test("so do keys, addresses, bodies and bytes that are refused", async () => {
  await send("/v1/payment_links", "{}", `svc_test_${canaries.new("unknown key")}`);
  await send("/v1/payment_links", `{"${canaries.new("bad JSON")}`);
  await send(`/v1/${canaries.new("unknown path")}?a=${canaries.new("unknown query")}`);
  await send(`/v1/%ZZ${canaries.new("bad escape")}`);
  const port = Number(new URL(gateway.baseUrl).port);
  await sendRaw(port, `GET /${canaries.new("raw path")} HTTP/9\r\n${canaries.new("raw header")}\r\n\r\n`);
  await untilLine(gateway, { outcome: "invalid_api_key", status: 401, route: "/v1/payment_links" });
  await untilLine(gateway, { outcome: "not_found", status: 404 });
});

test("so does a payer's form, taken and refused", async () => {
  const collected = {
    ...BASES["CreatePaymentLink"],
    payment_methods: ["card"],
    collect_fields: ["phone", "address"],
  };
  const { text } = await send("/v1/payment_links", JSON.stringify(collected));
  const { id } = JSON.parse(text);
  const opened = await sendForm(`/pay/${id}/sessions`, {});
  const page = opened.headers.get("location") ?? "";
  const random = randomFor("digits");
  const digits = (length: number): string => String(random.integer(10 ** (length - 1), 10 ** length - 1));
  const form = {
    way: "card-1",
    card_token: "tok_approved",
    phone: canaries.keep("phone", `+55119${digits(8)}`),
    postal_code: canaries.keep("postal code", digits(8)),
    number: canaries.keep("house number", digits(12)),
    state: "SP",
    ...Object.fromEntries(
      ["street", "complement", "district", "city"].map((name) => [name, canaries.new(name)]),
    ),
  };
  for (const name of ["name", "document", "email", "card_number"]) {
    await sendForm(`${page}/payments`, { ...form, [name]: canaries.new(`form ${name}`) });
  }
  await sendForm(`${page}/payments`, { ...form, card_token: canaries.keep("card", "4111111111111111") });
  await sendForm(`${page}/payments`, {
    ...form,
    card_token: canaries.new("card token"),
    phone: canaries.new("bad phone"),
  });
  const mode = { tenant: tenant.id, mode: "test", route: "/pay/:link/:session/payments" };
  await untilLine(gateway, { ...mode, outcome: "card_number_refused" });
  expect((await sendForm(`${page}/payments`, form)).status).toBe(303);
  await untilLine(gateway, { ...mode, outcome: "ok", status: 303 });
});

test("so does every call of the core, and a webhook's receiver that answers something", async () => {
  for (const service of CORE_SERVICES) {
    const callers: Record<string, (message: object, options: object) => Promise<unknown>> = client(service);
    for (const method of service.methods) {
      const message = canaries.message(method.input, "init");
      await callers[method.localName]?.(message, as()).catch(() => undefined);
    }
  }
  for (const { typeName, methods } of CORE_SERVICES) {
    for (const { name } of methods) await untilLine(core, { rpc: `${typeName}/${name}` });
  }
  const bad = {
    headers: {
      ...as().headers,
      "paylink-tenant": canaries.new("tenant"),
      "paylink-mode": canaries.new("mode"),
    },
  };
  await client(LedgerService)
    .getPayment({}, bad)
    .catch(() => undefined);
  const named = { name: canaries.new("token name"), permissions: ["ledger:read"] };
  const { id: core_token, token } = await client(IdentityService).createCoreToken(named, as());
  const authorization = `Bearer ${canaries.keep("named core token", token)}`;
  const asTeam = { headers: { ...as().headers, authorization } };
  await client(LedgerService).getTrialBalance({}, asTeam);
  await client(LedgerService)
    .createPaymentIntent({}, asTeam)
    .catch(() => undefined);
  await untilLine(core, {
    core_token,
    rpc: "paylink.ledger.v1.LedgerService/GetTrialBalance",
    outcome: "ok",
  });
  await untilLine(core, { core_token, outcome: "insufficient_permission" });
  const url = `${receiver.url}/${canaries.new("webhook path")}?token=${canaries.new("webhook query")}`;
  const { secret } = await client(WebhooksService).createWebhookEndpoint({ url }, as());
  canaries.keep("webhook secret", secret.slice("whsec_".length));
});

test("so does what fails on our side: a statement with values in it, the database, the core", async () => {
  const { length: before } = linesOf(core);
  await rows.run(
    "ALTER TABLE test.payment_link ADD CONSTRAINT no_doom CHECK (reference NOT LIKE '%doom') NOT VALID",
  );
  const doomed = { ...BASES["CreatePaymentLink"], reference: `${canaries.new("failing row")}doom` };
  expect((await send("/v1/payment_links", JSON.stringify(doomed))).status).toBe(500);
  await rows.run("ALTER TABLE test.event RENAME TO lost");
  await client(WebhooksService)
    .listEvents({ objectId: canaries.new("failing query") }, as())
    .catch(() => undefined);
  await expect
    .poll(
      () =>
        linesOf(core)
          .slice(before)
          .filter(({ msg }) => msg === "request failed"),
      { timeout: 10_000 },
    )
    .toHaveLength(2);
  const [insert, query] = linesOf(core)
    .slice(before)
    .filter(({ msg }) => msg === "request failed");
  expect(insert).toMatchObject({ err: { code: "23514", table: "payment_link", constraint: "no_doom" } });
  expect(query).toMatchObject({
    rpc: "paylink.webhooks.v1.WebhooksService/ListEvents",
    err: { code: "42P01" },
  });
  expect(query?.err).toMatchObject({
    stack: expect.arrayContaining([expect.stringContaining("src/webhooks/")]),
  });
  await rows.run("ALTER TABLE test.lost RENAME TO event");
  await rows.close();
  await database.drop();
  const unheard = canaries.message(LinksService.method.createPaymentLink.input, "json");
  expect((await send("/v1/payment_links", JSON.stringify(unheard))).status).toBeGreaterThanOrEqual(500);
  await core.end("SIGKILL");
  expect((await send("/v1/payment_links", JSON.stringify(doomed))).status).toBe(503);
  await untilLine(gateway, { status: 503, outcome: "service_unavailable" });
  await gateway.end("SIGTERM");
});

test("no line of either process holds a canary in any form, or a name that is not on the list", () => {
  expect(canaries.count).toBeGreaterThan(500);
  for (const service of [core, gateway]) {
    expect(linesOf(service).length).toBeGreaterThan(50);
    expect(canaries.foundIn(service.output())).toEqual([]);
    expect(new Set(linesOf(service).flatMap((line) => Object.keys(line))).difference(NAMES)).toEqual(
      new Set(),
    );
    // Nothing else is printed.
    expect(
      service
        .output()
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("{")),
    ).toEqual([]);
  }
  console.info(`${canaries.count} canaries, ${linesOf(core).length} and ${linesOf(gateway).length} lines`);
});
