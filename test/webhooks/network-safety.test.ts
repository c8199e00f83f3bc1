import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { type CoreSettings } from "../support/core-options.ts";
import { startService, type TestService } from "../support/service.ts";

// Names that lead where the test says. What a name leads to may change while the test runs.
const names = new Map<string, string[]>();
const lookup: LookupFunction = (hostname, options, callback) => {
  const addresses = names.get(hostname);
  if (!addresses) {
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" }), "", 4);
    return;
  }
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  if (options.all) callback(null, found);
  else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
};

const REFUSED_LITERALS = [
  "127.0.0.1",
  "127.8.9.10",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "017700000001",
  "127.1",
  "127.0.0.1.",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "0.0.0.0",
  "0",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "0xa9fea9fe",
  "100.64.0.1",
  "100.127.255.254",
  "192.0.0.8",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[100::1]",
];

const refused = expect.objectContaining({
  rawMessage: expect.stringContaining("does not lead to the public internet"),
});

describe.each([
  ["live mode", "live", true],
  ["test mode without WEBHOOK_ALLOW_LOOPBACK", "test", false],
] as const)("registration in %s", (_what, mode, allowLoopbackWebhooks) => {
  let service: TestService;
  let merchant: Merchant;
  let rows: DatabaseRows;
  beforeAll(async () => {
    service = await startService("direct", { allowLoopbackWebhooks, lookup });
    merchant = await createMerchant(service, {}, mode);
    rows = await new DatabaseRows(service.databaseUrl).open();
  });
  afterAll(async () => {
    await rows.close();
    await service.close();
  });
  const create = (url: string) => merchant.webhooks.createWebhookEndpoint({ url }, merchant.as);

  test.each(REFUSED_LITERALS)("https://%s is refused", async (host) => {
    await expect(create(`https://${host}/refused`)).rejects.toEqual(refused);
  });

  test.each([
    ["http://hooks.example.com/refused", "must begin with https://"],
    ["ftp://hooks.example.com/refused", "must begin with https://"],
    ["file:///etc/refused", "must begin with https://"],
    ["javascript:refused", "must begin with https://"],
    ["gopher://hooks.example.com/refused", "must begin with https://"],
    ["https://user@hooks.example.com/refused", "user name or password"],
    ["https://user:secret@hooks.example.com/refused", "user name or password"],
    ["https://:secret@hooks.example.com/refused", "user name or password"],
    ["https://hooks.example.com/refused#part", "fragment"],
    ["https:///refused:99999", "not a URL"],
    ["//hooks.example.com/refused", "not a URL"],
    ["refused", "not a URL"],
    ["https://hooks.example.com:70000/refused", "not a URL"],
    ["https://[::1/refused", "not a URL"],
    ["https://999.1.1.1/refused", "not a URL"],
  ])("%s is refused: %s", async (url, message) => {
    await expect(create(url)).rejects.toThrow(message);
  });

  test.each([
    ["", /url/],
    [`https://hooks.example.com/${"x".repeat(2048)}refused`, /url/],
  ])("a url of an impossible length is refused", async (url, message) => {
    await expect(create(url)).rejects.toThrow(message);
  });

  test.each([
    [["127.0.0.1"]],
    [["10.0.0.1"]],
    [["::1"]],
    [["::ffff:169.254.169.254"]],
    [["64:ff9b::a9fe:a9fe"]],
    [["93.184.215.14", "192.168.0.1"]],
  ])("a name that leads to %j is refused, at creation and at change", async (addresses) => {
    names.set("inside.example.com", addresses);
    await expect(create("https://inside.example.com/refused")).rejects.toEqual(refused);
    const { endpoint } = await create("https://93.184.215.14/good");
    const change = { id: endpoint?.id ?? "", url: "https://inside.example.com/refused" };
    await expect(merchant.webhooks.updateWebhookEndpoint(change, merchant.as)).rejects.toEqual(refused);
    await merchant.webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, merchant.as);
  });

  test("nothing that was refused is written", async () => {
    expect(await rows.count(`${mode}.webhook_endpoint WHERE url LIKE '%refused%'`)).toBe(0);
  });

  test("a name that leads to the public internet is taken, and so is one that is not known yet", async () => {
    names.set("hooks.example.com", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]);
    expect((await create("https://hooks.example.com/good")).endpoint?.url).toBe(
      "https://hooks.example.com/good",
    );
    expect((await create("https://later.example.com:8443/good")).secret).toMatch(/^whsec_/);
  });
});

describe("delivery", () => {
  const started: TestService[] = [];
  const start = async (settings: CoreSettings) => {
    const service = await startService("direct", {
      lookup,
      delivery: { schedule: [0, 0.1], timeoutMs: 1000 },
      ...settings,
    });
    started.push(service);
    const worker = service.core.startWorker();
    return { service, worker };
  };

  /** Makes a link expire, because a live key cannot simulate; answers what became of the delivery's last attempt. */
  const lastError = async (
    service: TestService,
    merchant: Merchant,
    url: string,
  ): Promise<string | undefined> => {
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url }, merchant.as);
    await merchant.newLink({ expires_in: 1 });
    service.clock.advance(2);
    await service.core.tasks.expireLinks();
    const request = { endpointId: endpoint?.id ?? "" };
    const find = async () =>
      (await merchant.webhooks.listDeliveries(request, merchant.as)).deliveries[0]?.lastError;
    await expect.poll(find, { timeout: 8000 }).toBeDefined();
    return await find();
  };

  afterAll(async () => {
    for (const service of started) await service.close();
  });

  test.each([
    ["live", true],
    ["test", false],
  ] as const)(
    "in %s mode a name that was public at registration and is private at delivery is refused",
    async (mode, allowLoopbackWebhooks) => {
      const receiver = await startReceiver();
      const port = new URL(receiver.url).port;
      const { service, worker } = await start({ allowLoopbackWebhooks });
      const merchant = await createMerchant(service, {}, mode);
      for (const address of ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"]) {
        const name = `rebinding-${address.replaceAll(/[.:]/g, "-")}.example.com`;
        names.set(name, ["93.184.215.14"]);
        const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
          { url: `https://${name}:${port}/` },
          merchant.as,
        );
        names.set(name, [address]);
        await merchant.newLink({ expires_in: 1 });
        service.clock.advance(2);
        await service.core.tasks.expireLinks();
        const request = { endpointId: endpoint?.id ?? "" };
        await expect
          .poll(
            async () =>
              (await merchant.webhooks.listDeliveries(request, merchant.as)).deliveries[0]?.lastError,
          )
          .toBe("address_refused");
        await merchant.webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, merchant.as);
      }
      expect(receiver.received).toEqual([]);
      await worker.stop();
      await receiver.close();
    },
  );

  test("loopback is allowed in test mode alone, and private addresses in none", async () => {
    const receiver = await startReceiver();
    const { service, worker } = await start({ allowLoopbackWebhooks: true });
    const live = await createMerchant(service, {}, "live");
    await expect(live.webhooks.createWebhookEndpoint({ url: receiver.url }, live.as)).rejects.toThrow(
      "https://",
    );
    const merchant = await createMerchant(service);
    for (const host of ["10.0.0.1", "192.168.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
      const request = { url: `http://${host}/` };
      await expect(merchant.webhooks.createWebhookEndpoint(request, merchant.as)).rejects.toEqual(refused);
    }
    names.set("local.example.com", ["127.0.0.1"]);
    const url = receiver.url.replace("127.0.0.1", "local.example.com");
    await merchant.webhooks.createWebhookEndpoint({ url }, merchant.as);
    await merchant.pay();
    await receiver.until(1);
    await worker.stop();
    await receiver.close();
  });

  test("proxy variables are ignored", async () => {
    const proxy = createServer((_request, response) => response.writeHead(200).end());
    let connections = 0;
    proxy.on("connection", () => connections++);
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const variables = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NODE_USE_ENV_PROXY"];
    const before = variables.map((name) => [name, process.env[name]] as const);
    for (const name of variables) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : address;
    try {
      const receiver = await startReceiver();
      const { service, worker } = await start({});
      const merchant = await createMerchant(service);
      await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
      await merchant.pay();
      await receiver.until(1);
      expect(connections).toBe(0);
      await worker.stop();
      await receiver.close();
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      proxy.close();
    }
  });

  test("a name that is not known fails, and so does what is no TLS server", async () => {
    const receiver = await startReceiver();
    const { service, worker } = await start({});
    const merchant = await createMerchant(service);
    expect(await lastError(service, merchant, "https://unknown.example.com/")).toBe("name_not_resolved");
    const plain = receiver.url.replace("http:", "https:");
    expect(await lastError(service, merchant, plain)).toBe("tls_failed");
    await worker.stop();
    await receiver.close();
  });
});
