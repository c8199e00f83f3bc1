import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { type CoreSettings } from "../support/core-options.ts";
import { startService, type TestService } from "../support/service.ts";
import { plantNames, refused } from "./planted-names.ts";

const { names, lookup } = plantNames();

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
