import type { DescMethodUnary } from "@bufbuild/protobuf";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { CoreClient } from "../support/core-client.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { answerOf, begin, envelope, nested } from "./raw-calls.ts";

const { createPaymentLink, getPaymentLink } = LinksService.method;
const { uploadMedia } = MediaService.method;
const RESOURCE_EXHAUSTED = { grpc: "8", connect: 429 };
const INVALID_ARGUMENT = { grpc: "3", connect: 400 };

const { service, ports, tenant } = await CoreClient.forFile();
// What is not sent of a request that was refused counts for the client itself.
const session = connect(`http://${ports.http2}`, { maxSessionMemory: 1000 });
afterAll(() => session.destroy());

function caller(): Record<string, string> {
  return { ...service.internal.headers, "paylink-tenant": tenant.id, "paylink-mode": "test" };
}

const PROTOCOLS = ["application/grpc", "application/grpc-web+proto", "application/proto", "application/json"];

describe("a call is decided about by its headers", () => {
  test.each(PROTOCOLS)(
    "%s: without a good token it is answered while its body is on its way",
    async (type) => {
      const stream = begin(session, createPaymentLink, { "content-type": type });
      stream.write(Buffer.alloc(3));
      const { status, grpc, text } = await answerOf(stream);
      if (type.startsWith("application/grpc")) expect([status, grpc]).toEqual([200, "16"]);
      else expect([status, JSON.parse(text)]).toMatchObject([401, { code: "unauthenticated" }]);
    },
  );

  test("so is one that its token does not allow", async () => {
    const { token } = await tokenOf("pricing:read");
    const stream = begin(session, createPaymentLink, {
      "content-type": "application/proto",
      authorization: `Bearer ${token}`,
    });
    stream.write(Buffer.alloc(3));
    expect(await answerOf(stream)).toMatchObject({ status: 403 });
  });

  test.each([
    ["application/grpc", "grpc-encoding"],
    ["application/grpc-web+proto", "grpc-encoding"],
    ["application/json", "content-encoding"],
  ])("%s: what is compressed is refused unread", async (type, header) => {
    const bomb = gzipSync(`{"metadata":{"a":[${"0,".repeat(2_000_000)}0]}}`);
    const stream = begin(session, createPaymentLink, { ...caller(), "content-type": type, [header]: "gzip" });
    stream.write(type === "application/json" ? bomb : envelope(bomb, 1));
    const { status, grpc } = await answerOf(stream);
    expect([status, grpc]).toEqual(type === "application/json" ? [501, undefined] : [200, "12"]);
  });
});

async function tokenOf(permission: string): Promise<{ token: string }> {
  const grpc = new GrpcClient(ports.http2);
  const made = await grpc.unary(
    IdentityService.method.createCoreToken,
    { name: "internal", permissions: [permission] },
    service.internal.headers,
  );
  grpc.close();
  return made;
}

const MIB = 1024 * 1024;
describe("what a request may bring", () => {
  const deepJson = (depth: number): Buffer =>
    Buffer.from(`{"metadata":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`);

  test.each<[string, DescMethodUnary, Uint8Array, typeof INVALID_ARGUMENT]>([
    ["too many bytes", getPaymentLink, Buffer.alloc(81 * 1024, 0x0a), RESOURCE_EXHAUSTED],
    ["more bytes than a file may have", uploadMedia, Buffer.alloc(5 * MIB), RESOURCE_EXHAUSTED],
    ["too many levels", createPaymentLink, nested(120), INVALID_ARGUMENT],
    ["a field that ends too late", getPaymentLink, Buffer.from([0x0a, 0x05, 0x61]), INVALID_ARGUMENT],
    ["a field of number 0", getPaymentLink, Buffer.from([0x00, 0x01]), INVALID_ARGUMENT],
    ["text that is none", getPaymentLink, Buffer.from([0x0a, 0x01, 0xff]), INVALID_ARGUMENT],
    ["too many groups in groups", uploadMedia, Buffer.alloc(100_000, 0xfb), INVALID_ARGUMENT],
  ])("protobuf, %s: refused in every protocol", async (_what, method, message, refusal) => {
    for (const type of PROTOCOLS.slice(0, 3)) {
      const stream = begin(session, method, { ...caller(), "content-type": type });
      stream.end(type === "application/proto" ? message : envelope(message));
      const { status, grpc, text } = await answerOf(stream);
      expect([type, status, grpc]).toEqual(
        type === "application/proto" ? [type, refusal.connect, undefined] : [type, 200, refusal.grpc],
      );
      expect(text).not.toMatch(/parse binary|wire type|RangeError|stack/);
    }
    const query = new URLSearchParams({
      encoding: "proto",
      base64: "1",
      message: Buffer.from(message).toString("base64url"),
    });
    if (method !== getPaymentLink || message.length > 1000) return;
    const path = `/${method.parent.typeName}/${method.name}?${query.toString()}`;
    const response = await fetch(`http://${ports.http1}${path}`, { headers: caller() });
    expect(response.status).toBe(400);
  });

  test.each([
    ["bytes", Buffer.from(`{"metadata":{"a":[${"0,".repeat(70_000)}0]}}`), 429],
    ["values", Buffer.from(`{"metadata":{"a":[${"0,".repeat(18_000)}0]}}`), 400],
    ["levels", deepJson(1000), 400],
    ["levels without an end", Buffer.from(`{"metadata":${"[".repeat(16_000)}`), 400],
    ["brackets", Buffer.from("{{{{"), 400],
  ])("JSON of too many %s is refused", async (_what, body, expected) => {
    const stream = begin(session, createPaymentLink, { ...caller(), "content-type": "application/json" });
    stream.end(body);
    const { status, text } = await answerOf(stream);
    expect(status).toBe(expected);
    expect(text).not.toMatch(/stack|RangeError/);
  });

  test.each([
    ["NUL", String.raw`{"a":"\u0000"}`, "metadata holds a NUL character."],
    ["NUL in a key", String.raw`{"\u0000":1}`, "metadata holds a NUL character."],
    ["half of a pair", String.raw`{"a":["\ud800"]}`, "metadata holds half of a surrogate pair."],
  ])("metadata with %s are refused with their field", async (_what, metadata, message) => {
    const stream = begin(session, createPaymentLink, {
      ...caller(),
      "content-type": "application/json",
      "idempotency-key": "odd",
    });
    stream.end(`{"amount":"1000","currency":"BRL","metadata":${metadata}}`);
    const { status, text } = await answerOf(stream);
    expect([status, JSON.parse(text).message]).toEqual([400, message]);
  });

  test("what the public API takes goes through: 64 KiB in 2000 values", async () => {
    const grpc = new GrpcClient(ports.http2);
    const members = (index: number) => [`${index}`.padStart(30, "k"), index] as const;
    const metadata = {
      object: Object.fromEntries(Array.from({ length: 1999 }, (_, index) => members(index))),
    };
    const link = { amount: 15_990n, currency: "BRL", reference: "full", metadata };
    const key = { "idempotency-key": "full" };
    const { paymentLink } = await grpc.unary(createPaymentLink, link, { ...caller(), ...key });
    expect(paymentLink?.metadata).toEqual(metadata);
    grpc.close();
  });

  test("a length over the bound is refused before the bytes come, and a flag that means nothing", async () => {
    for (const [head, grpc] of [
      [envelope(Buffer.alloc(0), 0, 100 * MIB), "8"],
      [envelope(Buffer.alloc(0), 0x40), "3"],
    ] as const) {
      const stream = begin(session, getPaymentLink, { ...caller(), "content-type": "application/grpc" });
      if (grpc === "8") stream.write(head);
      else stream.end(head);
      expect(await answerOf(stream)).toMatchObject({ grpc });
    }
  });

  test("over HTTP/1.1 too, too many bytes are refused at once", async () => {
    const { parent, name } = getPaymentLink;
    const { status } = await fetch(`http://${ports.http1}/${parent.typeName}/${name}`, {
      method: "POST",
      headers: { ...caller(), "content-type": "application/proto" },
      body: Buffer.alloc(81 * 1024, 0x0a),
    });
    expect(status).toBe(429);
  });

  test("health and reflection get by with 4 KiB", async () => {
    const grpc = new GrpcClient(ports.http2);
    const failure = await failureOf(grpc.unary(Health.method.check, { service: "x".repeat(5000) }));
    expect(failure).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    grpc.close();
    const stream = begin(session, ServerReflection.method.serverReflectionInfo, {
      ...service.internal.headers,
      "content-type": "application/grpc",
    });
    stream.write(envelope(Buffer.alloc(5000, 0x0a)));
    expect(await answerOf(stream)).toMatchObject({ grpc: "8" });
  });
});
