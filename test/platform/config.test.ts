import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "../../src/platform/config/config.ts";

const DATABASE_URL = "postgresql://127.0.0.1/paylink";
const PUBLIC_URL = "https://pay.example.com";

describe("a demo machine is one that is configured as such", () => {
  test.each([
    ["npm start as it comes", {}, true],
    ["a loopback name", { HOST: "localhost" }, true],
    ["IPv6 loopback", { HOST: "::1", PUBLIC_URL: "http://[::1]:8080" }, true],
    ["another loopback address", { HOST: "127.8.9.1", PUBLIC_URL: "http://pay.localhost" }, true],
    ["a proxy on the same machine, seen from outside", { PUBLIC_URL }, false],
    [
      "a public address that only begins as a local one",
      { PUBLIC_URL: "https://localhost.example.com" },
      false,
    ],
    ["a local network", { PUBLIC_URL: "http://192.168.1.4:8080" }, false],
    ["a host that listens to others", { HOST: "0.0.0.0", PUBLIC_URL: "http://localhost:8080" }, false],
    ["a service without the demo", { PAYLINK_SEED: "none" }, false],
    ["a database of the operator's", { DATABASE_URL }, false],
    ["a database of the operator's with the demo", { DATABASE_URL, PAYLINK_SEED: "demo" }, false],
  ])("%s", (_what, env, isDemoMachine) => {
    expect(readConfig(env)).toMatchObject({
      isDemoMachine,
      allowLoopbackWebhooks: isDemoMachine,
      allowOpenReflection: isDemoMachine,
      allowHttpConsole: undefined,
    });
  });

  test("the operator's setting counts on any machine", () => {
    const env = { WEBHOOK_ALLOW_LOOPBACK: "false", CONSOLE_ALLOW_HTTP: "false" };
    expect(readConfig(env)).toMatchObject({ allowLoopbackWebhooks: false, allowHttpConsole: false });
    const other = { PUBLIC_URL, WEBHOOK_ALLOW_LOOPBACK: "true", CONSOLE_ALLOW_HTTP: "true" };
    expect(readConfig(other)).toMatchObject({ allowLoopbackWebhooks: true, allowHttpConsole: true });
    expect(() => readConfig({ CONSOLE_ALLOW_HTTP: "yes" })).toThrow(
      "CONSOLE_ALLOW_HTTP must be one of true, false.",
    );
  });
});

describe("the live rate", () => {
  test("is published by people unless FX_SOURCE is ptax", () => {
    expect(readConfig({}).ptax).toBeUndefined();
    expect(
      readConfig({ FX_SOURCE: "manual", PTAX_URL: "https://ptax.example.com/odata" }).ptax,
    ).toBeUndefined();
    expect(readConfig({ FX_SOURCE: "ptax" }).ptax).toEqual({
      url: "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata",
      maxAgeSeconds: 108_000,
    });
    const own = { PTAX_URL: "https://ptax.example.com/odata/", PTAX_MAX_AGE_SECONDS: "864000" };
    expect(readConfig({ FX_SOURCE: "ptax", ...own })).toMatchObject({
      ptax: { url: "https://ptax.example.com/odata", maxAgeSeconds: 864_000 },
      allowLoopbackProviders: false,
    });
    expect(readConfig({ PROVIDER_ALLOW_LOOPBACK: "true" }).allowLoopbackProviders).toBe(true);
  });

  test.each([
    ["FX_SOURCE", "bcb", "FX_SOURCE must be one of ptax, manual."],
    ["PTAX_URL", "olinda", "PTAX_URL must be an http or https URL without query or fragment."],
    ["PTAX_MAX_AGE_SECONDS", "0", "PTAX_MAX_AGE_SECONDS must be seconds, 1 to 864000."],
    ["PTAX_MAX_AGE_SECONDS", "864001", "PTAX_MAX_AGE_SECONDS must be seconds, 1 to 864000."],
    ["PTAX_MAX_AGE_SECONDS", "1e3", "PTAX_MAX_AGE_SECONDS must be seconds, 1 to 864000."],
  ])("%s=%s is refused", (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message));
  });
});

describe("PUBLIC_URL", () => {
  test.each(["0.0.0.0", "::", "192.168.1.4", "2001:db8::1", "pay.example.com", "localhost.example.com"])(
    "must be set when HOST is %s",
    (host) => {
      const message = /^PUBLIC_URL must be set when HOST is not this machine's own: .+\.$/;
      expect(() => readConfig({ HOST: host })).toThrow(ConfigError);
      expect(() => readConfig({ HOST: host })).toThrow(message);
      expect(readConfig({ HOST: host, PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL);
    },
  );

  test("is where the gateway listens when that is this machine alone", () => {
    expect(readConfig({ HOST: "::1", PORT: "81" }).publicUrl).toBe("http://[::1]:81");
  });
});

describe.each(["PUBLIC_URL", "CHECKOUT_BASE"])("%s", (name) => {
  test.each([
    "https://pay.example.com/shop",
    "https://pay.example.com/shop/",
    "https://pay.example.com/?",
    "https://pay.example.com/?a=b",
    "https://pay.example.com/#",
    "https://user:password@pay.example.com",
    "pay.example.com",
    "ftp://pay.example.com",
  ])("is refused as %s: pages and forms begin at the root of their host", (value) => {
    const message = `${name} must be an http or https address without path, query or fragment, such as https://pay.example.com.`;
    expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message));
  });

  test("may end in a slash, which is left out", () => {
    const { publicUrl, checkoutBase } = readConfig({ [name]: "https://pay.example.com:8443/" });
    expect(name === "PUBLIC_URL" ? publicUrl : checkoutBase).toBe("https://pay.example.com:8443");
  });
});

test("a variable of an earlier release without effect is named in a warning", () => {
  expect(readConfig({ RATE_LIMIT_WRONG_KEYS_BURST: "10", LOG_LEVEL: "info" }).warnings).toEqual([
    "RATE_LIMIT_WRONG_KEYS_BURST is set and has no effect any more: an address may always send ten wrong keys a second.",
  ]);
  expect(readConfig({}).warnings).toEqual([]);
});

test.each([
  [{}, "http://127.0.0.1:50051"],
  [{ CORE_PORT: "4000", CORE_TLS_CERT: "a.pem", CORE_TLS_KEY: "b.pem" }, "https://127.0.0.1:4000"],
  [{ CORE_URL: "https://core.example.com:50051/", CORE_PORT: "4000" }, "https://core.example.com:50051"],
  [{ CORE_URL: "http://a.test:1", CORE_ADDRESS: "b.test:2" }, "http://a.test:1"],
])("%j: the command line finds the core at %s", (env, coreUrl) => {
  expect(readConfig(env)).toMatchObject({ coreUrl, warnings: [] });
});

test("CORE_ADDRESS, the former name of CORE_URL, works with a warning", () => {
  expect(readConfig({ CORE_ADDRESS: "core.test:50051" })).toMatchObject({
    coreUrl: "http://core.test:50051",
    warnings: [
      "CORE_ADDRESS is the former name of CORE_URL: set CORE_URL=http://core.test:50051 in its place.",
    ],
  });
  expect(() => readConfig({ CORE_URL: "core.test:50051" })).toThrow("CORE_URL must be an http or https URL");
});

describe("rate limits", () => {
  test("are absent unless they are set, and hold two seconds' worth by default", () => {
    expect(readConfig({}).rateLimits).toEqual({ key: undefined, tenant: undefined });
    const env = {
      RATE_LIMIT_KEY_PER_SECOND: "20",
      RATE_LIMIT_TENANT_PER_SECOND: "50",
      RATE_LIMIT_TENANT_BURST: "60",
    };
    expect(readConfig(env).rateLimits).toEqual({
      key: { perSecond: 20, burst: 40 },
      tenant: { perSecond: 50, burst: 60 },
    });
  });

  test.each([
    [{ RATE_LIMIT_KEY_PER_SECOND: "0" }, "RATE_LIMIT_KEY_PER_SECOND must be a whole number, 1 to 100000."],
    [{ RATE_LIMIT_KEY_PER_SECOND: "1.5" }, "RATE_LIMIT_KEY_PER_SECOND must be a whole number, 1 to 100000."],
    [{ RATE_LIMIT_TENANT_BURST: "5" }, "RATE_LIMIT_TENANT_BURST needs RATE_LIMIT_TENANT_PER_SECOND."],
  ])("%j cannot be used", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});
