import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { expectError } from "../support/error-answer.ts";
import { openApi, operations } from "../support/openapi.ts";
import { startService, type TestService } from "../support/service.ts";

describe("GET /openapi.json and GET /docs", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => await service.close());
  const ask = (
    method: "GET" | "HEAD" | "POST" | "DELETE",
    url: string,
    headers: Record<string, string> = {},
  ) => service.gateway.inject({ method, url, headers });

  test("the document is the one that was generated, and is sent again only when it has changed", async () => {
    const { statusCode, headers, rawPayload } = await ask("GET", "/openapi.json");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["x-request-id"]).toMatch(/^req_/);
    const file = join(import.meta.dirname, "..", "..", "gen", "openapi.json");
    expect(rawPayload.equals(readFileSync(file))).toBe(true);
    const again = await ask("GET", "/openapi.json", { "if-none-match": String(headers["etag"]) });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    expect((await ask("GET", "/openapi.json", { "if-none-match": '"other"' })).statusCode).toBe(200);
  });

  test.each(["/openapi.json", "/docs"])(
    "%s: HEAD answers as GET without a body, other verbs are 405",
    async (url) => {
      const [get, head] = [await ask("GET", url), await ask("HEAD", url)];
      expect([head.statusCode, head.body]).toEqual([200, ""]);
      expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
      for (const verb of ["POST", "DELETE"] as const) {
        const { statusCode: status, headers, body: text } = await ask(verb, url);
        expectError({ status, headers, text }, { status: 405, code: "method_not_allowed" });
        expect(headers["allow"]).toBe("GET, HEAD");
      }
    },
  );

  test("the page's policy names no host and allows nothing inline but by nonce; its assets never change", async () => {
    const { headers, body } = await ask("GET", "/docs");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|unsafe|\*/);
    const assets = [...body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(assets).toHaveLength(4);
    for (const asset of assets) {
      const { statusCode, headers: sent } = await ask("GET", asset);
      expect([statusCode, sent["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });
});

describe.skipIf(!hasBrowser)("/docs in a browser", () => {
  const PHONE = { width: 360, height: 900 };
  const hosts = new Set<string>();
  let pages: Pages;
  let docs: PayerPage;
  beforeAll(async () => {
    pages = await startPages();
    docs = await pages.newPage({ viewport: { width: 1280, height: 900 }, locale: "en" });
    // Icons are data, in the style sheet.
    docs.page.on("request", (request) => hosts.add(new URL(request.url()).host || "data"));
    await docs.goto("/docs");
    await docs.page.waitForSelector(".opblock");
  });
  afterAll(async () => await pages.close());

  test("shows every operation and every webhook", async () => {
    const shown = await docs.page.locator(".opblock-summary-path").allInnerTexts();
    const paths = operations().map(({ path }) => path);
    // It breaks long paths with characters of no width.
    expect(shown.map((text) => text.replaceAll("\u200B", "")).toSorted()).toEqual(
      [...paths, ...Object.keys(openApi.webhooks)].toSorted(),
    );
    expect(await docs.page.title()).toBe("paylink API");
  });

  test("an operation opens with its parameters, scope, errors and examples, and can be tried with a key", async () => {
    const { page } = docs;
    const { testKey } = await pages.service.createTenant();
    await page.click("button.authorize");
    await page.fill(".auth-container input", testKey);
    await page.click(".auth-btn-wrapper button.authorize");
    await page.click(".btn-done");
    const operation = page.locator("#operations-Quotes-createQuote");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    const text = await operation.innerText();
    for (const word of ["Idempotency-Key", "quotes:write", "quote_fx_required", "X-Request-Id"]) {
      expect(text).toContain(word);
    }
    await operation.locator("button.execute").click();
    const status = operation.locator(".live-responses-table tbody .response-col_status");
    expect((await status.innerText()).trim()).toMatch(/^201/);
  });

  test("it fits a phone, also with an operation open", async () => {
    await docs.page.setViewportSize(PHONE);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await docs.page.evaluate(overflow)).toBe(0);
  });

  test("nothing was asked of another host, and the browser had nothing to complain of", () => {
    expect([...hosts].filter((host) => host !== "data")).toEqual([new URL(pages.baseUrl).host]);
    expect(docs.complaints).toEqual([]);
  });
});
