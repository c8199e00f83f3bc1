import { Code, createConnectRouter } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { boundHandlers } from "../../src/platform/grpc/bounded-handlers.ts";
import { bytesMaxOf } from "../../src/platform/grpc/message-bounds.ts";

const { createPaymentLink, getPaymentLink } = LinksService.method;
const { uploadMedia } = MediaService.method;
const MIB = 1024 * 1024;

test("the bytes that an RPC takes follow from what its request can hold", () => {
  expect(bytesMaxOf(Health.method.check)).toBe(4 * 1024);
  expect(bytesMaxOf(getPaymentLink)).toBe(80 * 1024);
  expect(bytesMaxOf(createPaymentLink)).toBe(128 * 1024);
  expect(bytesMaxOf(uploadMedia)).toBe(80 * 1024 + 4 * MIB);
});

test("a request that does not arrive within 30 s is answered", async () => {
  vi.useFakeTimers();
  const router = createConnectRouter().rpc(Health.method.check, () => ({}));
  boundHandlers(router);
  const [check] = router.handlers;
  const answer = check?.({
    httpVersion: "2.0",
    method: "POST",
    url: "http://localhost/grpc.health.v1.Health/Check",
    header: new Headers({ "content-type": "application/grpc" }),
    body: (async function* () {
      yield new Uint8Array(1);
      await new Promise(() => undefined);
    })(),
    signal: new AbortController().signal,
  });
  await vi.advanceTimersByTimeAsync(30_000);
  const { body, trailer } = (await answer) ?? {};
  for await (const chunk of body ?? []) expect(chunk).toHaveLength(0);
  expect(trailer?.get("grpc-status")).toBe(`${Code.ResourceExhausted}`);
  expect(trailer?.get("grpc-message")).toBe("The request did not arrive within 30 s.");
  vi.useRealTimers();
});
