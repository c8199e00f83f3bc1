import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";

import {
  CreateQuoteRequestSchema,
  CreateQuoteResponseSchema,
  PaymentMethod,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createCoreHttpServer } from "../../src/listeners.ts";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const tenant = await service.createTenant();
const site = createServer((_request, response) => response.end("<!doctype html><title>books</title>"));
site.listen(0, "127.0.0.1");
await once(site, "listening");
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
const open = await createCoreHttpServer(service.core, { origins: [origin] });
const closed = await createCoreHttpServer(service.core);
const at = { host: "127.0.0.1", port: 0 };
const [openUrl, closedUrl] = await Promise.all([open.listen(at), closed.listen(at)]);
afterAll(async () => {
  site.close();
  await Promise.all([open.close(), closed.close()]);
});

/** Makes a quote by gRPC-Web from a page of the site. Returns the answer's message and its status. */
async function quoteFromPage(core: string): Promise<{ payerTotal: bigint | undefined; trailers: string }> {
  const request = create(CreateQuoteRequestSchema, {
    amount: 15_990n,
    currency: "BRL",
    paymentMethod: PaymentMethod.PIX,
  });
  const message = toBinary(CreateQuoteRequestSchema, request);
  const body = [0, 0, 0, 0, message.length, ...message];
  const headers = {
    ...service.internal.headers,
    "content-type": "application/grpc-web+proto",
    "x-grpc-web": "1",
    "paylink-tenant": tenant.id,
    "paylink-mode": "test",
    "idempotency-key": "page",
  };
  const context = await (await sharedBrowser()).newContext();
  try {
    const page = await context.newPage();
    await page.goto(origin);
    const url = `${core}/paylink.pricing.v1.PricingService/CreateQuote`;
    const bytes = Buffer.from(
      await page.evaluate(
        async (sent) => {
          const init = { method: "POST", headers: sent.headers, body: new Uint8Array(sent.body) };
          const response = await fetch(sent.url, init);
          return [...new Uint8Array(await response.arrayBuffer())];
        },
        { url, headers, body },
      ),
    );
    const end = 5 + bytes.readUInt32BE(1);
    const { result } = fromBinary(CreateQuoteResponseSchema, bytes.subarray(5, end));
    const payerTotal = result.case === "quote" ? result.value.payerTotal : undefined;
    return { payerTotal, trailers: bytes.subarray(end + 5).toString() };
  } finally {
    await context.close();
  }
}

test.runIf(hasBrowser)("a web page of an allowed origin calls by gRPC-Web", async () => {
  const { payerTotal, trailers } = await quoteFromPage(openUrl);
  expect(payerTotal).toBe(15_990n);
  expect(trailers).toMatch(/^grpc-status: 0\r$/m);
});

test.runIf(hasBrowser)("no other page calls", async () => {
  await expect(quoteFromPage(closedUrl)).rejects.toThrow("Failed to fetch");
});
