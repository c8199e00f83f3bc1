import type { LookupFunction } from "node:net";
import { describe, expect, test } from "vitest";
import { allowedLookup } from "../../src/platform/outside/outside-address.ts";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { Sender } from "../../src/webhooks/sender.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

// What is special, by the registries of IANA: of each range its first, a middle and its last address.
const SPECIAL: Readonly<Record<string, readonly string[]>> = {
  "this network": ["0.0.0.0", "0.1.2.3", "0.255.255.255"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  "carrier-grade NAT": ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.0.0.2", "127.255.255.255"],
  "link-local": ["169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255"],
  "protocol assignments": ["192.0.0.0", "192.0.0.192", "192.0.0.255"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1"],
  "AS112, AMT and 6to4 relays": ["192.31.196.1", "192.175.48.1", "192.52.193.1", "192.88.99.1"],
  benchmarking: ["198.18.0.0", "198.19.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255"],
  "reserved and broadcast": ["240.0.0.1", "255.255.255.254", "255.255.255.255"],
  "a cloud's own host": ["168.63.129.16"],
  "IPv6 unspecified and loopback": ["::", "::1", "::2"],
  "IPv4 in IPv6, mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:93.184.215.14"],
  "IPv4 in IPv6, compatible": ["::127.0.0.1", "::a9fe:a9fe", "::93.184.215.14"],
  "IPv4 in IPv6, translated": ["::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1"],
  "6to4 and Teredo": ["2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:7f00:1::", "2001::1"],
  "IPv6 private and link-local": ["fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1"],
  "IPv6 multicast": ["ff01::1", "ff02::1", "ff0e::1"],
  "IPv6 documentation and discard": ["2001:db8::1", "3fff::1", "100::1", "100:0:0:1::1"],
  "IPv6 assignments and benchmarking": ["2001:2::1", "2001:3::1", "2001:10::1", "2001:20::1", "2001:1ff::1"],
  "IPv6 that is not assigned": ["1::1", "4000::1", "5f00::1", "8000::1", "e000::1"],
};
// Other spellings of addresses that are refused.
const SPELLINGS = [
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "127.1",
  "127.0.1",
  "127.0.0.1.",
  "0",
  "0x0",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "169.254.43518",
  "10.1",
  "0xa.1.2.3",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "[0:0:0:0:0:0:0:1]",
  "[::FFFF:7F00:1]",
];
const LOCAL_NAMES = ["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.b.localhost.", "loc%61lhost"];
const SHAPES = [
  "http://93.184.215.14/",
  "ftp://93.184.215.14/",
  "file:///etc/passwd",
  "gopher://93.184.215.14/",
  "about:",
  "https://user@93.184.215.14/",
  "https://u:p@93.184.215.14/",
  "https://93.184.215.14@127.0.0.1/",
  "https://93.184.215.14#@127.0.0.1/",
  "https://127.0.0.1\\@93.184.215.14/",
  "https://93.184.215.14/#part",
  "https://93.184.215.14:0/",
  "https://93.184.215.14:22/",
  "https://93.184.215.14:25/",
  "https:///127.0.0.1/",
  "https://93.184.215.14:6000/",
  "https://93.184.215.14:10080/",
  "https://[fe80::1%25eth0]/",
  "//x/",
  "x",
];

/** Names that lead where they say: "to-7f000001.test" for each address of the table. */
const leads = new Map<string, string[]>();
const system = nameLookup(["127.0.0.1:1"]);
const lookup: LookupFunction = (hostname, options, callback) => {
  const found = leads.get(hostname)?.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  if (!found) system(hostname, options, callback);
  else if (options.all) callback(null, found);
  else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
};

function nameTo(...addresses: string[]): string {
  const name = `to-${addresses.join("-and-").replaceAll(/[:.]/g, "-")}.example.com`;
  leads.set(name, addresses);
  return name;
}

const asHost = (address: string): string => (address.includes(":") ? `[${address}]` : address);
const inTable = Object.values(SPECIAL).flat();
const REFUSED = [
  ...inTable.map((address) => `https://${asHost(address)}/`),
  ...inTable.map((address) => `https://${nameTo(address)}/`),
  // One bad address among good ones is enough, wherever it comes.
  `https://${nameTo("93.184.215.14", "10.0.0.1")}/`,
  `https://${nameTo("fd00::1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")}/`,
  ...[...SPELLINGS, ...LOCAL_NAMES].map((host) => `https://${host}/`),
  ...SHAPES,
];

const receiver = await forFile(startReceiver());
const service = await forFile(startService("direct", { allowLoopbackWebhooks: true, lookup }));
const [live, sandbox] = [await createMerchant(service, {}, "live"), await createMerchant(service)];
const merchants = { live, test: sandbox };

/** What registration says of an address: "taken", or why not. */
async function registration(mode: "live" | "test", url: string): Promise<string> {
  const { webhooks, as } = merchants[mode];
  try {
    const { endpoint } = await webhooks.createWebhookEndpoint({ url }, as);
    await webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, as);
    return "taken";
  } catch {
    return "refused";
  }
}

/** What a delivery says of it: "taken" when it went on to connect. */
async function delivery(mode: "live" | "test", url: string): Promise<string> {
  const policy = { isLoopbackAllowed: mode === "test" };
  const sender = new Sender({ policy, lookup, timeoutMs: 5000 });
  const { error } = await sender.post(url, {}, Buffer.from("{}"));
  return error === "address_refused" ? "refused" : "taken";
}

async function verdicts(mode: "live" | "test", urls: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const url of urls) {
    found[url] = `${await registration(mode, url)} and ${await delivery(mode, url)}`;
  }
  return found;
}

function all(urls: readonly string[], verdict: string): Record<string, string> {
  return Object.fromEntries(urls.map((url) => [url, `${verdict} and ${verdict}`]));
}

describe("registration and delivery", () => {
  test("refuse the same addresses in live mode", async () => {
    expect(await verdicts("live", REFUSED)).toEqual(all(REFUSED, "refused"));
  });

  test("refuse the same addresses in test mode, but for this machine's own where they are allowed", async () => {
    const isOwn = (url: string): boolean => {
      const host = URL.parse(url)?.hostname ?? "";
      const own = [host, ...(leads.get(host) ?? [])];
      return own.some((one) => /^(127\.0\.0\.1|::1|\[::1\]|([\w.]+\.)?localhost\.?)$/.test(one));
    };
    const others = REFUSED.filter((url) => !isOwn(url) && !url.startsWith("http://93."));
    expect(others.length).toBeGreaterThan(REFUSED.length - 30);
    expect(await verdicts("test", others)).toEqual(all(others, "refused"));
  });

  test("take this machine's own addresses in test mode where they are allowed, and in live mode never", async () => {
    const { port } = new URL(receiver.url);
    const hosts = [
      "127.0.0.1",
      "localhost",
      "localhost.",
      "a.localhost",
      "2130706433",
      "127.1",
      nameTo("127.0.0.1"),
    ];
    const urls = hosts.map((host) => `http://${host}:${port}/hook`);
    expect(await verdicts("test", urls)).toEqual(all(urls, "taken"));
    expect(receiver.received).toHaveLength(urls.length);
    expect(await verdicts("live", urls)).toEqual(all(urls, "refused"));
    expect(receiver.received).toHaveLength(urls.length);
  });

  test.each([
    "93.184.215.14",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "2606:4700::1111",
  ])("let %s through, as an address and as what a name leads to", async (address) => {
    expect(await registration("live", `https://${asHost(address)}:8443/`)).toBe("taken");
    const name = nameTo(address);
    expect(await registration("live", `https://${name}/`)).toBe("taken");
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    allowedLookup(lookup, { isLoopbackAllowed: false })(name, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found);
    });
    expect(await promise).toMatchObject([{ address }]);
  });
});
