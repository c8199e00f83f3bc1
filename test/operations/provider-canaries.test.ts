import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import {
  CallbackProofKind,
  ProviderKind,
  ProvidersService,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { testBank } from "../api-pix/connected.ts";
import { configAt } from "../provider-accounts/live-merchant.ts";
import { Canaries } from "../support/canaries.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { openDatabaseProxy } from "../support/database-proxy.ts";
import { cloneDatabase } from "../support/database.ts";
import { startProcess } from "../support/process.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { forFile } from "../support/for-file.ts";

const LOWEST = "trace";

const canaries = new Canaries();
const company = {
  id: canaries.new("client id"),
  secret: canaries.new("client secret"),
  keys: [canaries.keep("PIX key", randomUUID())],
};
const made = await testBank({ clients: [company] });
afterAll(async () => await made.bank.stop());
made.bank.clock.set(new Date());
const folder = await makeDataFolder();
afterAll(async () => await folder.remove());
const database = await cloneDatabase();
const proxy = await forFile(openDatabaseProxy(database.url));
const rows = await forFile(new DatabaseRows(database.url).open());
const service = await startProcess(folder.path, {
  DATABASE_URL: proxy.url,
  DATABASE_TIMEOUT_MS: "1000",
  CORE_TOKEN,
  PAYLINK_SEED: "demo",
  PROVIDER_ALLOW_LOOPBACK: "true",
  LOG_LEVEL: LOWEST,
});
afterAll(async () => await service.end("SIGKILL"));
const [row] = await rows.read("SELECT id FROM identity.tenant ORDER BY id LIMIT 1", []);
const tenantId = String(row?.["id"]);

/** Posts what a bank tells of a payer's money, all of it canaries. */
async function post(path: string): Promise<number> {
  const word = (name: string): string => canaries.new(`callback's ${name}`);
  const payer = { cpf: word("cpf"), nome: word("name") };
  const pix = {
    txid: word("txid"),
    endToEndId: word("endToEndId"),
    infoPagador: word("text"),
    pagador: payer,
  };
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "client-cert": word("header"), "x-own": word("header") },
    body: JSON.stringify({ pix: [pix] }),
  });
  return answer.status;
}

test("no secret, token, payer's data or address of callbacks is in any line, whatever happens", async () => {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${service.env["CORE_PORT"]}` });
  const core = createClient(ProvidersService, transport);
  const as = {
    headers: { authorization: `Bearer ${CORE_TOKEN}`, "paylink-tenant": tenantId, "paylink-mode": "live" },
  };
  const config = configAt(made, {
    clientId: company.id,
    clientSecret: company.secret,
    pixKey: company.keys[0] ?? "",
    callback: { kind: CallbackProofKind.HMAC },
  });
  const request = {
    kind: ProviderKind.PIX,
    profile: "bacen",
    label: canaries.new("label"),
    config,
  };
  canaries.keep("private key", (config.privateKey ?? "").split("\n")[1] ?? "");
  const { account, callbackUrl } = await core.putProviderAccount(request, as);
  const id = account?.id ?? "";
  const { pathname } = new URL(callbackUrl);
  canaries.keep("callback's address", pathname.split("/").at(-1) ?? "");
  // The standard has https alone, so the bank refuses to be told of this service: its address is asked for all the same.
  await core.verifyProviderAccount({ id, isRegistered: true }, as);
  const told = made.bank.requests.findLast(({ call }) => call === "setWebhook");
  const { webhookUrl } = JSON.parse(told?.text ?? "{}") as { webhookUrl: string };
  const { search } = new URL(webhookUrl);
  const hmac = canaries.keep("callback's hmac", new URLSearchParams(search).get("hmac") ?? "");
  expect(hmac).toHaveLength(43);

  expect(await post(`${pathname}${search}/pix`)).toBe(200);
  expect(await post(`${pathname}/pix`)).toBe(403);
  expect(await post(`${pathname}/pix?hmac=${canaries.new("wrong hmac")}`)).toBe(403);
  expect(await post(`/providers/${canaries.new("unknown address")}/pix${search}`)).toBe(404);
  made.bank.fail("statement", { kind: "html", status: 500 });
  await core.sweepProviderAccount({ id }, as).catch(() => undefined);
  await core.retireProviderAccount({ id }, as);
  for (const { headers, answer } of made.bank.requests) {
    const { authorization = "" } = headers;
    if (authorization !== "") canaries.keep("authorization", authorization);
    const [, token] = /"access_token":"([^"]+)"/.exec(answer) ?? [];
    if (token !== undefined) canaries.keep("access token", token);
  }
  // The worker asks about the callback that was taken, in vain.
  const unknown = async () =>
    (await rows.read("SELECT unknown_count AS n FROM live.provider_callback", [])).map(({ n }) => n);
  await expect.poll(unknown, { timeout: 15_000 }).toEqual([1]);

  const ready = `http://127.0.0.1:${service.env["METRICS_PORT"]}/readyz`;
  proxy.silence();
  expect(await post(`${pathname}${search}/pix`)).toBe(503);
  expect((await fetch(ready)).status).toBe(503);
  await proxy.close();
  await expect.poll(async () => await post(`${pathname}${search}/pix`), { timeout: 10_000 }).toBe(503);
  const metrics = await (await fetch(ready.replace("readyz", "metrics"))).text();

  expect(await service.end("SIGTERM")).toBeDefined();
  const demo = /\nDemo tenants[^{]*/;
  expect(
    service
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{")).length,
  ).toBeGreaterThan(10);
  expect(service.output()).toMatch(/"route":"\/providers\/:secret","verb":"POST","status":200/);
  expect(canaries.count).toBeGreaterThan(20);
  expect(canaries.foundIn(`${service.output().replace(demo, "")}${metrics}`)).toEqual([]);
}, 90_000);
