import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { FULL_PERSON, KEYS } from "../live-cards/pagarme-merchant.ts";
import { hasBrowser, PayerPage, sharedBrowser } from "../support/browser.ts";
import { Canaries } from "../support/canaries.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";
import { startProcess } from "../support/process.ts";

const SCHEMAS = ["live", "test", "identity"] as const;
const CARDS = { paid: "4000000000000010", refused: "5162306219378829", unreadable: "378282246310005" };

/** Passes bytes on, and keeps those that the service gets. */
async function recorder(
  baseUrl: string,
): Promise<{ url: string; text: () => string; close(): Promise<void> }> {
  const received: Buffer[] = [];
  const server = createServer((client) => {
    const service = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    client.on("data", (chunk: Buffer) => received.push(chunk));
    client.pipe(service).pipe(client);
    for (const socket of [client, service]) socket.on("error", () => socket.destroy());
    client.on("close", () => service.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => Buffer.concat(received).toString("latin1"),
    close: async () => {
      server.close();
      await Promise.resolve();
    },
  };
}

test.skipIf(!hasBrowser)(
  "no byte that the service receives, stores or logs has the number of a card that is typed on its page",
  async () => {
    const canaries = new Canaries();
    for (const [name, number] of Object.entries(CARDS)) canaries.keep(`number of the ${name} card`, number);
    const holder = canaries.new("card's holder");
    const pagarme = await startPagarme({ accounts: [KEYS] });
    pagarme.clock.set(new Date());
    const folder = await makeDataFolder();
    const { url: databaseUrl } = await cloneDatabase();
    const rows = await forFile(new DatabaseRows(databaseUrl).open());
    const service = await startProcess(folder.path, {
      DATABASE_URL: databaseUrl,
      CORE_TOKEN,
      PAYLINK_SEED: "demo",
      PROVIDER_ALLOW_LOOPBACK: "true",
      LOG_LEVEL: "trace",
    });
    const [row] = await rows.read("SELECT id FROM identity.tenant ORDER BY id LIMIT 1");
    const tenantId = String(row?.["id"]);
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${service.env["CORE_PORT"]}` });
    const authorization = `Bearer ${CORE_TOKEN}`;
    const as = { headers: { authorization, "paylink-tenant": tenantId, "paylink-mode": "live" } };
    await createClient(ProvidersService, transport).putProviderAccount(
      { kind: ProviderKind.CARD, profile: "pagarme", pagarme: { ...KEYS, baseUrl: pagarme.baseUrl } },
      as,
    );
    const { key } = await createClient(IdentityService, transport).createApiKey(
      { tenantId, mode: Mode.LIVE },
      { headers: { authorization } },
    );
    const front = await recorder(service.baseUrl);
    const context = await (await sharedBrowser()).newContext({ baseURL: front.url, locale: "pt-BR" });

    const pay = async (number: string, card: object, outcome: string): Promise<PayerPage> => {
      const made = await fetch(`${service.baseUrl}/v1/payment_links`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": crypto.randomUUID(),
        },
        body: JSON.stringify({
          amount: 15_990,
          currency: "BRL",
          payment_methods: ["card"],
          max_installments: 1,
        }),
      });
      const payer = new PayerPage(await context.newPage());
      await payer.open(((await made.json()) as { id: string }).id);
      const { name, email, document, phone, address } = FULL_PERSON;
      const { postalCode, street, district, city } = address;
      const texts = { name, email, document, phone, postal_code: postalCode, street, district, city };
      for (const [field, text] of Object.entries({ ...texts, number: address.number })) {
        await payer.page.fill(`#${field}`, text);
      }
      await payer.page.selectOption("#state", address.state);
      const typed = { number, holder, expiry: "12/39", cvv: "123", ...card };
      for (const [field, text] of Object.entries(typed)) await payer.page.fill(`#card_${field}`, text);
      await payer.page.click("main button.primary");
      await payer.shows(outcome);
      return payer;
    };
    await pay(CARDS.paid, {}, "Pagamento confirmado");
    await pay(CARDS.refused, { cvv: "654" }, "vencido");
    const open = { "access-control-allow-origin": "*" };
    pagarme.fail("createToken", { kind: "text", status: 422, text: "{}", headers: open });
    const stopped = await pay(CARDS.unreadable, {}, "não aceitou");
    // What a provider may answer in a token's place.
    const { unreadable: number } = CARDS;
    for (const [status, answer, outcome] of [
      [422, { message: `${number} is refused`, errors: { number: [number] } }, "não aceitou"],
      [500, { message: number }, "não respondeu"],
      [200, { id: number, card: { number } }, "não respondeu"],
      [200, { id: `token_${number}` }, "não respondeu"],
    ] as const) {
      pagarme.fail("createToken", { kind: "text", status, text: JSON.stringify(answer), headers: open });
      await stopped.page.locator("#card_token").evaluate((element) => (element.textContent = ""));
      await stopped.page.click("main button.primary");
      await stopped.shows(outcome);
    }
    // What a page leaves when it is reloaded or left.
    await stopped.page.reload();
    await context.close();

    const asked = pagarme.requests.filter(({ call }) => call === "createToken");
    expect(canaries.foundIn(asked.map(({ text }) => text).join(" "))).toHaveLength(
      Object.keys(CARDS).length + 1,
    );
    const others = pagarme.requests.filter(({ call }) => call !== "createToken");
    expect(others.length).toBeGreaterThan(1);
    expect(canaries.foundIn(JSON.stringify(others.map(({ text, headers }) => [text, headers])))).toEqual([]);
    expect(front.text()).toMatch(/POST \/pay\/\S+\/payments/);
    expect(canaries.foundIn(decodeURIComponent(front.text().replaceAll(/%(?![0-9A-F]{2})/gi, "")))).toEqual(
      [],
    );
    const secrets = new Canaries();
    secrets.keep("secret key", KEYS.secretKey);
    secrets.keep("authorization", Buffer.from(`${KEYS.secretKey}:`).toString("base64"));
    for (const text of ["52998224725", FULL_PERSON.document, FULL_PERSON.email, "11987654321", "Paulista"]) {
      secrets.keep(`payer's ${text}`, text);
    }
    for (const { answer } of asked) {
      const [, token] = /"(token_\w+)"/.exec(answer) ?? [];
      if (token !== undefined) secrets.keep("token", token);
    }
    expect(secrets.count).toBe(10);
    const metrics = await (await fetch(`http://127.0.0.1:${service.env["METRICS_PORT"]}/metrics`)).text();
    await service.end("SIGTERM");
    expect(service.output()).toContain("/payments");
    const written = `${service.output()}${metrics}`;
    expect([canaries.foundIn(written), secrets.foundIn(written)]).toEqual([[], []]);
    for (const schema of SCHEMAS) {
      const stored = await rows.texts(schema);
      expect(stored.length).toBeGreaterThan(1000);
      expect([canaries.foundIn(stored), secrets.foundIn(stored)]).toEqual([[], []]);
    }

    await front.close();
    await pagarme.stop();
    await folder.remove();
  },
  150_000,
);
