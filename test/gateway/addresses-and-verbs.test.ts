import { METHODS } from "node:http";
import { describe, expect, test } from "vitest";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import { routesOf } from "../../gateway/transcode/route.ts";
import { verbsOf } from "../../gateway/http/addresses.ts";
import { REQUEST_ID } from "../support/error-answer.ts";
import { sendRaw } from "../support/raw-http.ts";
import { RawClient } from "./raw-client.ts";

const on = await RawClient.forFile();

const request = (verb: string, path: string, ...lines: string[]): string =>
  [`${verb} ${path} HTTP/1.1`, "Host: a", "Connection: close", ...lines, "", ""].join("\r\n");

describe("addresses and verbs", () => {
  test.each(["/v1", "/v1/payments/a/b", "//v1/payments", "/v1/payments/../payments", "/V1/payments", "*"])(
    "404 not_found for %s, with and without a key",
    async (path) => {
      await on.expectRefused(request("GET", path), { status: 404, code: "not_found" });
      await on.expectRefused(request("GET", path, `Authorization: Bearer ${on.tenant.testKey}`), {
        status: 404,
        code: "not_found",
      });
    },
  );

  test("an absolute address is the same address", async () => {
    const [answer] = await on.ask(request("GET", "http://a/healthz"));
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    await on.expectRefused(request("GET", "http://a/nowhere"), { status: 404, code: "not_found" });
  });

  // Each route by the descriptors, with any id in its path.
  const routes = Map.groupBy(routesOf(PUBLIC_SERVICES), ({ path }) => path.replaceAll(/:\w+/g, "x"));
  const paths: [string, string][] = [
    ...[...routes].map(([path, same]): [string, string] => [path, same.flatMap(verbsOf).join(", ")]),
    ["/healthz", "GET, HEAD"],
  ];
  test.each(paths)("%s is for %s alone: 405 with Allow for any other verb", async (path, allowed) => {
    for (const verb of METHODS.filter(
      (each) => ![...allowed.split(", "), "HEAD", "CONNECT"].includes(each),
    )) {
      const { headers } = await on.expectRefused(request(verb, path), {
        status: 405,
        code: "method_not_allowed",
      });
      expect({ verb, allow: headers["allow"] }).toEqual({ verb, allow: allowed });
    }
  });

  test.each([
    "/v1/payments?from=2026-01-01&to=2026-01-02",
    "/v1/payments/pay_x",
    "/.well-known/jwks.json",
    "/healthz",
  ])("HEAD %s: what GET answers, without the body", async (path) => {
    const lines = [`Authorization: Bearer ${on.tenant.testKey}`];
    const [got] = await on.ask(request("GET", path, ...lines));
    const [head = "", body] = (await sendRaw(on.port, request("HEAD", path, ...lines))).split("\r\n\r\n");
    expect(head).toContain(`HTTP/1.1 ${got?.status} `);
    expect(head.toLowerCase()).toContain(`content-length: ${got?.text.length}`);
    expect(head.toLowerCase()).toMatch(/\r\nx-request-id: req_/);
    expect(body).toBe("");
  });

  test.each(paths.filter(([, allowed]) => allowed === "POST"))(
    "HEAD %s: 405 with Allow, and no body",
    async (path, allowed) => {
      const received = await sendRaw(on.port, request("HEAD", path));
      const [head = "", body] = received.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 405 /);
      expect(head.toLowerCase()).toContain(`\r\nallow: ${allowed.toLowerCase()}\r\n`);
      expect(head).toMatch(/\r\nx-request-id: req_[0-7][0-9a-hjkmnp-tv-z]{25}\r\n/i);
      expect(body).toBe("");
    },
  );

  test("OPTIONS *: 404; CONNECT gets no tunnel", async () => {
    await on.expectRefused(request("OPTIONS", "*"), { status: 404, code: "not_found" });
    expect(await sendRaw(on.port, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")).toBe("");
  });

  test("an upgrade is not offered: the request is answered as if it asked for none", async () => {
    const upgrade = ["GET /healthz HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: upgrade", "", ""];
    const last = request("GET", "/nowhere");
    const answers = await on.ask(upgrade.join("\r\n"), last);
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });

  test("400 without a Host, as HTTP/1.1 wants it; HTTP/1.0 needs none", async () => {
    await on.expectRefused("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", {});
    const [answer] = await on.ask("GET /healthz HTTP/1.0\r\n\r\n");
    expect(answer?.status).toBe(200);
  });

  test("HTTP/0.9 is answered as HTTP/1.1 is, and the connection ends", async () => {
    await on.expectRefused("GET /v1/payments\r\n\r\n", { status: 401, code: "invalid_api_key" });
    const [answer] = await on.ask("GET /healthz\r\n\r\n");
    expect(answer).toMatchObject({ status: 200, headers: { connection: "close" } });
  });

  test("a public route needs no key, its answer carries X-Request-Id", async () => {
    const [answer] = await on.ask(request("GET", "/.well-known/jwks.json"));
    expect(answer?.status).toBe(200);
    expect(answer?.headers["x-request-id"]).toMatch(REQUEST_ID);
  });
});
