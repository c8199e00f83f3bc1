import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { startPagarme, type Pagarme } from "../support/pagarme/pagarme.ts";
import { startProcess, type ServiceProcess } from "../support/process.ts";
import { cardToken, FULL_PERSON, KEYS, referenceOf } from "./pagarme-merchant.ts";

const PATIENCE_MS = 60_000;

let pagarme: Pagarme;
let rows: DatabaseRows;
let folder: Awaited<ReturnType<typeof makeDataFolder>>;
let service: ServiceProcess;
let restart: () => Promise<ServiceProcess>;
let key: string;
beforeAll(async () => {
  pagarme = await startPagarme({ accounts: [KEYS] });
  pagarme.clock.set(new Date());
  folder = await makeDataFolder();
  const { url } = await cloneDatabase();
  rows = await new DatabaseRows(url).open();
  const env = { DATABASE_URL: url, CORE_TOKEN, PAYLINK_SEED: "demo", PROVIDER_ALLOW_LOOPBACK: "true" };
  restart = async () => await startProcess(folder.path, env);
  service = await restart();
  const [row] = await rows.read("SELECT id FROM identity.tenant ORDER BY id LIMIT 1");
  const tenantId = String(row?.["id"]);
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${service.env["CORE_PORT"]}` });
  const authorization = `Bearer ${CORE_TOKEN}`;
  await createClient(ProvidersService, transport).putProviderAccount(
    {
      kind: ProviderKind.CARD,
      profile: "pagarme",
      pagarme: { ...KEYS, baseUrl: pagarme.baseUrl, isWithoutAntifraud: true },
    },
    { headers: { authorization, "paylink-tenant": tenantId, "paylink-mode": "live" } },
  );
  const made = await createClient(IdentityService, transport).createApiKey(
    { tenantId, mode: Mode.LIVE },
    { headers: { authorization } },
  );
  ({ key } = made);
});
afterAll(async () => {
  await service.end("SIGKILL");
  await rows.close();
  await pagarme.stop();
  await folder.remove();
});

/** Opens a link, and sends the form of a card's payment. Does not wait for its answer. */
async function paying(): Promise<void> {
  const body = { amount: 15_990, currency: "BRL", payment_methods: ["card"], max_installments: 1 };
  const link = await fetch(`${service.baseUrl}/v1/payment_links`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const { id } = (await link.json()) as { id: string };
  const session = await fetch(`${service.baseUrl}/pay/${id}/sessions`, {
    method: "POST",
    redirect: "manual",
  });
  const { name, email, document } = FULL_PERSON;
  const form = new URLSearchParams({
    way: "card-1",
    name,
    email,
    document,
    card_token: await cardToken(pagarme),
  });
  const address = `${service.baseUrl}${session.headers.get("location")}/payments`;
  void fetch(address, { method: "POST", body: form }).catch(() => undefined);
}

const orders = () => pagarme.requests.filter(({ call }) => call === "createOrder");
const codeOf = (text: string): string => (JSON.parse(text) as { code: string }).code;
const payments = async (): Promise<Record<string, unknown>[]> =>
  await rows.read(`SELECT p.id, p.status FROM live.payment p ORDER BY p.id`);

test("kill -9 while Pagar.me is asked never charges a card twice, and loses none that was charged", async () => {
  // The one is killed before its order is made, the other after that.
  pagarme.fail("createOrder", { kind: "hang" });
  pagarme.fail("createOrder", { kind: "silent" });
  for (const count of [1, 2]) {
    await paying();
    await expect.poll(() => orders().length, { timeout: PATIENCE_MS }).toBe(count);
  }
  await service.end("SIGKILL");
  const [unsent, unanswered] = orders().map(({ text }) => codeOf(text));
  const statusOf = async (code: string | undefined) =>
    (await payments()).find(({ id }) => referenceOf(String(id)) === code)?.["status"];
  expect([await statusOf(unsent), await statusOf(unanswered)]).toEqual(["processing", "processing"]);

  service = await restart();
  // The time of the checks has come.
  const isDue = "check_at = now() - interval '1 second'";
  await rows.run(`UPDATE live.charge SET ${isDue}`);
  await expect.poll(async () => await statusOf(unanswered), { timeout: PATIENCE_MS }).toBe("succeeded");
  await rows.run(
    `UPDATE live.charge SET ${isDue}, created_at = created_at - interval '3 minutes' WHERE is_open`,
  );
  const failed = async () => {
    await rows.run(`UPDATE live.charge SET ${isDue} WHERE is_open AND check_at > now()`);
    return await statusOf(unsent);
  };
  await expect.poll(failed, { timeout: PATIENCE_MS, interval: 500 }).toBe("failed");

  expect(orders()).toHaveLength(2);
  expect(pagarme.ordersOf(unsent ?? "")).toEqual([]);
  const [order, ...others] = pagarme.ordersOf(unanswered ?? "");
  expect(others).toEqual([]);
  expect(order?.charges.map(({ status }) => status)).toEqual(["paid"]);
}, 150_000);
