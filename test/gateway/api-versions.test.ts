import { describe, expect, test } from "vitest";
import { createGateway } from "../../gateway/app.ts";
import { requireNotice, type ApiVersion } from "../../gateway/rest/api-versions.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createCore } from "../../src/app.ts";
import { coreOptions, CORE_TOKEN } from "../support/core-options.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const DEPRECATED: ApiVersion = {
  name: "v1",
  deprecation: { deprecatedOn: "2027-01-31", sunsetOn: "2028-01-31" },
};

const service = await forFile(startService());
const tenant = await service.createTenant();

function gatewayWith(...versions: ApiVersion[]) {
  return createGateway({
    transport: service.core.transport,
    services: [PricingService, LedgerService, LinksService],
    coreToken: CORE_TOKEN,
    versions,
    logger: false,
    publicUrl: "http://127.0.0.1:8080",
    mediaBase: "http://127.0.0.1:8080/media",
    isReady: async () => true,
  });
}

const authorization = (): string => `Bearer ${tenant.testKey}`;
const answers = () =>
  [
    [
      "200",
      { url: "/v1/payments?from=2026-01-01&to=2026-01-02", headers: { authorization: authorization() } },
    ],
    [
      "201",
      {
        method: "POST",
        url: "/v1/payment_links",
        headers: {
          authorization: authorization(),
          "content-type": "application/json",
          "idempotency-key": "one",
        },
        payload: '{"amount":100,"currency":"BRL"}',
      },
    ],
    ["escaped path", { url: "/%761/payments", headers: { authorization: authorization() } }],
    ["400", { url: "/v1/payments", headers: { authorization: authorization() } }],
    ["401", { url: "/v1/payments/pay_x" }],
    ["404", { url: "/v1/nothing" }],
    ["404 of the version's root", { url: "/v1?x=1" }],
    ["405", { method: "DELETE", url: "/v1/payments" }],
    ["bad escape", { url: "/v1/%zz" }],
    [
      "415",
      {
        method: "POST",
        url: "/v1/quotes",
        headers: { authorization: authorization(), "idempotency-key": "k" },
      },
    ],
  ] as const;

describe("a deprecated version", () => {
  test("has its headers on every answer, good or bad, and other paths have none", async () => {
    const gateway = gatewayWith(DEPRECATED, { name: "v2" });
    for (const [name, request] of answers()) {
      const { headers } = await gateway.inject(request);
      expect({ name, deprecation: headers["deprecation"], sunset: headers["sunset"] }).toEqual({
        name,
        deprecation: "true",
        sunset: "Mon, 31 Jan 2028 00:00:00 GMT",
      });
    }
    for (const url of ["/healthz", "/.well-known/jwks.json", "/v2/payments", "/v10/payments", "/pay/pl_x"]) {
      const { headers } = await gateway.inject({ url });
      expect(headers).not.toHaveProperty("deprecation");
      expect(headers).not.toHaveProperty("sunset");
    }
    await gateway.close();
  });

  test("one that is not deprecated carries neither header", async () => {
    const gateway = gatewayWith({ name: "v1" });
    for (const [, request] of answers()) {
      const { headers } = await gateway.inject(request);
      expect(headers).not.toHaveProperty("deprecation");
      expect(headers).not.toHaveProperty("sunset");
    }
    await gateway.close();
  });
});

describe("what is refused at the start", () => {
  const v1 = (deprecatedOn: string, sunsetOn: string): ApiVersion => ({
    name: "v1",
    deprecation: { deprecatedOn, sunsetOn },
  });

  test.each([
    [v1("2027-01-31", "2028-01-30"), /less than 12 months/],
    [v1("2027-03-01", "2027-03-01"), /less than 12 months/],
    [v1("2027-02-29", "2029-01-01"), /is not a day/],
    [v1("2027-1-1", "2029-01-01"), /is not a day/],
  ])("%j", (version, message) => {
    expect(() => requireNotice([version])).toThrow(message);
  });

  test("12 months to the day are enough", () => {
    expect(() => requireNotice([DEPRECATED, { name: "v2" }])).not.toThrow();
  });

  test("a sunset is never moved earlier, nor a deprecation taken back, by any later start", async () => {
    const start = async (...apiVersions: ApiVersion[]): Promise<string> => {
      const options = { ...coreOptions(service.databaseUrl, service.clock, []), apiVersions };
      try {
        const core = await createCore(options);
        await core.close();
        return "started";
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    expect(await start({ name: "v1" })).toBe("started");
    expect(await start(v1("2027-01-31", "2028-06-30"))).toBe("started");
    expect(await start(v1("2027-01-31", "2028-12-31"), { name: "v2" })).toBe("started");
    expect(await start(v1("2027-01-31", "2028-06-30"))).toMatch(/announced for 2028-12-31 .* never earlier/);
    expect(await start({ name: "v1" })).toMatch(/is now not at all: never earlier/);
    expect(await start(v1("2027-01-31", "2028-12-31"))).toBe("started");
  });
});
