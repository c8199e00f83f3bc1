import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";
import { plantNames, refused } from "./planted-names.ts";

const { names, lookup } = plantNames();

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
