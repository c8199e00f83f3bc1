import { expect, test } from "vitest";
import { routesOf } from "../../gateway/transcode/route.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startReceiver } from "../support/receiver.ts";
import { randomFor } from "../support/seed.ts";
import { forFile } from "../support/for-file.ts";
import { linesOf, untilLine, WatchedProcesses } from "./watched-processes.ts";

const BASES: Readonly<Record<string, object>> = {
  CreatePaymentLink: { amount: 5000, currency: "BRL" },
  CreateQuote: { amount: 5000, currency: "BRL", payment_method: "pix" },
  CreatePaymentIntent: { amount: 5000, currency: "BRL" },
};
/** Every name that a line may have, and its own. */
const NAMES = new Set(
  `level time msg request_id tenant mode api_key param route verb status outcome duration_ms rpc trace_id payment_id payment_ids codes
  count role core_token listener address signal notice err`.split(/\s+/),
);

const receiver = await forFile(startReceiver());
const on = await forFile(WatchedProcesses.start());
const { canaries, database, rows, core, gateway, tenant } = on;

test("every REST operation, with a canary in every text of it, writes its line and nothing of them", async () => {
  for (const { method, verb, path } of routesOf(CORE_SERVICES)) {
    const address = path.replaceAll(/:\w+/g, () => canaries.new(`path of ${method.name}`));
    const query = method.input.fields.map(({ name }) => `${name}=${canaries.new(`query ${name}`)}`).join("&");
    await on.send(`${address}?${query}`, verb === "POST" ? "{}" : undefined);
    const body = canaries.message(method.input, "json");
    await on.send(address, verb === "POST" ? JSON.stringify(body) : undefined);
    const base = BASES[method.name];
    if (!base) continue;
    expect((await on.send(path, JSON.stringify(base))).status).toBe(201);
    for (const [name, value] of Object.entries(body)) {
      const { status } = await on.send(path, JSON.stringify({ ...base, [name]: value }));
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
  await on.send("/v1/payment_links", "{}", `svc_test_${canaries.new("unknown key")}`);
  await on.send("/v1/payment_links", `{"${canaries.new("bad JSON")}`);
  await on.send(`/v1/${canaries.new("unknown path")}?a=${canaries.new("unknown query")}`);
  await on.send(`/v1/%ZZ${canaries.new("bad escape")}`);
  const port = Number(new URL(gateway.baseUrl).port);
  await sendRaw(port, `GET /${canaries.new("raw path")} HTTP/9\r\n${canaries.new("raw header")}\r\n\r\n`);
  await untilLine(gateway, { outcome: "invalid_api_key", status: 401, route: "/v1/payment_links" });
  await untilLine(gateway, {
    outcome: "invalid_request",
    param: "amount",
    api_key: expect.stringMatching(/^key_/) as string,
  });
  await untilLine(gateway, { outcome: "not_found", status: 404 });
});

test("so does a payer's form, taken and refused", async () => {
  const collected = {
    ...BASES["CreatePaymentLink"],
    payment_methods: ["card"],
    collect_fields: ["phone", "address"],
  };
  const { text } = await on.send("/v1/payment_links", JSON.stringify(collected));
  const { id } = JSON.parse(text);
  const opened = await on.sendForm(`/pay/${id}/sessions`, {});
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
  for (const name of ["holder", "cpf", "mail", "card_number"]) {
    await on.sendForm(`${page}/payments`, { ...form, [name]: canaries.new(`form ${name}`) });
  }
  await on.sendForm(`${page}/payments`, { ...form, card_token: canaries.keep("card", "4111111111111111") });
  await on.sendForm(`${page}/payments`, {
    ...form,
    card_token: canaries.new("card token"),
    phone: canaries.new("bad phone"),
  });
  const mode = { tenant: tenant.id, mode: "test", route: "/pay/:link/:session/payments" };
  await untilLine(gateway, { ...mode, outcome: "card_number_refused" });
  const more = Object.fromEntries(["name", "document", "email"].map((name) => [name, canaries.new(name)]));
  expect((await on.sendForm(`${page}/payments`, { ...form, ...more })).status).toBe(303);
  await untilLine(gateway, { ...mode, outcome: "ok", status: 303 });
});

test("so does every call of the core, and a webhook's receiver that answers something", async () => {
  for (const service of CORE_SERVICES) {
    const callers: Record<string, (message: object, options: object) => Promise<unknown>> =
      on.client(service);
    for (const method of service.methods) {
      const message = canaries.message(method.input, "init");
      await callers[method.localName]?.(message, on.as()).catch(() => undefined);
    }
  }
  for (const { typeName, methods } of CORE_SERVICES) {
    for (const { name } of methods) await untilLine(core, { rpc: `${typeName}/${name}` });
  }
  const bad = {
    headers: {
      ...on.as().headers,
      "paylink-tenant": canaries.new("tenant"),
      "paylink-mode": canaries.new("mode"),
    },
  };
  await on
    .client(LedgerService)
    .getPayment({}, bad)
    .catch(() => undefined);
  const named = { name: canaries.new("token name"), permissions: ["ledger:read"] };
  const { id: core_token, token } = await on.client(IdentityService).createCoreToken(named, on.as());
  const authorization = `Bearer ${canaries.keep("named core token", token)}`;
  const asTeam = { headers: { ...on.as().headers, authorization } };
  await on.client(LedgerService).getTrialBalance({}, asTeam);
  await on
    .client(LedgerService)
    .createPaymentIntent({}, asTeam)
    .catch(() => undefined);
  await untilLine(core, {
    core_token,
    rpc: "paylink.ledger.v1.LedgerService/GetTrialBalance",
    outcome: "ok",
  });
  await untilLine(core, { core_token, outcome: "insufficient_permission" });
  const url = `${receiver.url}/${canaries.new("webhook path")}?token=${canaries.new("webhook query")}`;
  const { secret } = await on.client(WebhooksService).createWebhookEndpoint({ url }, on.as());
  canaries.keep("webhook secret", secret.slice("whsec_".length));
});

test("so does what fails on our side: a statement with values in it, the database, the core", async () => {
  const { length: before } = linesOf(core);
  await rows.run(
    "ALTER TABLE test.payment_link ADD CONSTRAINT no_doom CHECK (reference NOT LIKE '%doom') NOT VALID",
  );
  const doomed = { ...BASES["CreatePaymentLink"], reference: `${canaries.new("failing row")}doom` };
  expect((await on.send("/v1/payment_links", JSON.stringify(doomed))).status).toBe(500);
  await rows.run("ALTER TABLE test.event RENAME TO lost");
  await on
    .client(WebhooksService)
    .listEvents({ objectId: canaries.new("failing query") }, on.as())
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
  expect((await on.send("/v1/payment_links", JSON.stringify(unheard))).status).toBeGreaterThanOrEqual(500);
  await core.end("SIGKILL");
  expect((await on.send("/v1/payment_links", JSON.stringify(doomed))).status).toBe(503);
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
