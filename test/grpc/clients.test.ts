import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { compressionAlgorithms } from "@grpc/grpc-js";
import { afterAll, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { AuditLogService, ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CoreClient } from "../support/core-client.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";

const LINK = { amount: 15_990n, currency: "BRL", reference: "order-1" };
const { createPaymentLink, getPaymentLink, simulatePayment } = LinksService.method;
const { createApiKey } = IdentityService.method;

const core = await CoreClient.forFile();
const { ports, grpc } = core;
const zipped = new GrpcClient(ports.http2, undefined, {
  "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
});
afterAll(() => zipped.close());

describe("grpc-js", () => {
  test("makes a link, pays it and reads the payment back", async () => {
    const metadata = { product: "x".repeat(2000) };
    const { paymentLink } = await grpc.unary(createPaymentLink, { ...LINK, metadata }, core.caller("make"));
    const id = paymentLink?.id ?? "";
    expect(paymentLink).toMatchObject({ amount: 15_990n, metadata });
    const { payment } = await grpc.unary(simulatePayment, { id, outcome: 1 }, core.caller());
    const read = await grpc.unary(LedgerService.method.getPayment, { id: payment?.id ?? "" }, core.caller());
    expect(read.payment).toEqual(payment);
    expect(read.payment).toMatchObject({ linkId: id, grossAmount: 15_990n });
  });

  test("a key brings the same link again, and is refused with another request", async () => {
    const first = await grpc.unary(createPaymentLink, LINK, core.caller("same"));
    expect(await grpc.unary(createPaymentLink, LINK, core.caller("same"))).toEqual(first);
    const other = failureOf(grpc.unary(createPaymentLink, { ...LINK, amount: 1n }, core.caller("same")));
    expect(await other).toMatchObject({ status: "ABORTED", reason: "idempotency_key_reuse" });
  });

  test("details come within the 8 KiB of headers that clients in Java and Python take", async () => {
    const reserved = { ...LINK, metadata: { [`svc_${"x".repeat(60_000)}`]: 1 } };
    const scopes = Array.from({ length: 20 }, (_, index) => `payments.read.${index}`);
    const unknown = { tenantId: core.tenant.id, mode: Mode.LIVE, scopes };
    const failures = [
      await failureOf(grpc.unary(createPaymentLink, reserved, core.caller("reserved"))),
      await failureOf(grpc.unary(createApiKey, unknown, core.caller())),
    ];
    for (const { status, metadata } of failures) {
      expect(status).toBe("INVALID_ARGUMENT");
      expect(Buffer.byteLength(metadata.get("grpc-status-details-bin")[0] ?? "")).toBeLessThanOrEqual(5000);
    }
    expect(failures).toMatchObject([
      { reason: "reserved_metadata_key", fields: [`svc_${"x".repeat(252)}`] },
      { reason: "invalid_request", fields: expect.arrayContaining(["scopes[0]"]) as string[] },
    ]);
  });

  test("every violated field is in the error, once as google.rpc.BadRequest and once as violations", async () => {
    const bad = {
      amount: 0n,
      currency: "EUR",
      paymentMethods: { values: [PaymentMethod.PIX, PaymentMethod.TED] },
    };
    const failure = await failureOf(grpc.unary(createPaymentLink, bad, core.caller("bad")));
    expect(failure).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "invalid_request",
      fields: ["amount", "currency", "payment_methods.values[1]"],
      types: ["google.rpc.ErrorInfo", "google.rpc.BadRequest", "buf.validate.Violations"],
    });
  });

  test("a refusal of ours names its field too", async () => {
    const bad = { ...LINK, metadata: { svc_x: 1 } };
    const failure = await failureOf(grpc.unary(createPaymentLink, bad, core.caller("reserved")));
    expect(failure).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "reserved_metadata_key",
      fields: ["svc_x"],
    });
  });

  test("metadata that JSON could not give back is refused, as it is by the gateway", async () => {
    const unkept = [
      { a: Number.NaN },
      { a: [{ b: Number.POSITIVE_INFINITY }] },
      JSON.parse('{"a":{"__proto__":1}}'),
    ];
    for (const metadata of unkept) {
      const call = grpc.unary(createPaymentLink, { ...LINK, metadata }, core.caller("unkept"));
      expect(await failureOf(call)).toMatchObject({ reason: "invalid_request", fields: ["metadata"] });
    }
  });

  test("a number that JSON cannot have is refused in every free object", async () => {
    const tenantId = core.tenant.id;
    const free = { a: [Number.NEGATIVE_INFINITY] };
    const intent = { amount: 1000n, currency: "BRL", feeStrategy: free };
    const exported = { tenantId, mode: Mode.TEST, kind: ExportKind.PAYMENTS, format: "csv", filter: free };
    const calls = [
      [grpc.unary(LedgerService.method.createPaymentIntent, intent, core.caller("free")), "fee_strategy"],
      [grpc.unary(AuditLogService.method.recordExport, exported, core.caller()), "filter"],
    ] as const;
    for (const [call, field] of calls) {
      expect(await failureOf(call)).toMatchObject({ reason: "invalid_request", fields: [field] });
    }
  });

  test("a not_found error names the missing thing", async () => {
    const failure = failureOf(grpc.unary(getPaymentLink, { id: "pl_nothing" }, core.caller()));
    expect(await failure).toMatchObject({
      status: "NOT_FOUND",
      reason: "payment_link_not_found",
      fields: [],
    });
  });

  test("the message of an error is read as it was written, with signs and letters that URLs escape", async () => {
    for (const text of ["é: a, 100%", "%2C;/?@&=+$#", "日本\r\n"]) {
      const limited = {
        tenantId: core.tenant.id,
        mode: Mode.TEST,
        scopes: ["payments:read"],
        addresses: [text],
      };
      const { message } = await failureOf(grpc.unary(createApiKey, limited, core.caller()));
      expect(message).toContain(`networks such as 203.0.113.0/24: "${text}" is neither.`);
    }
  });

  test("a message that is too large is refused, and so is any compressed one", async () => {
    const bomb = { ...LINK, metadata: { zeros: "0".repeat(600 * 1024) } };
    const large = await failureOf(grpc.unary(createPaymentLink, bomb, core.caller("bomb")));
    expect(large).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    for (const message of [bomb, LINK]) {
      const failure = await failureOf(zipped.unary(createPaymentLink, message, core.caller("zipped")));
      expect(failure).toMatchObject({ status: "UNIMPLEMENTED", message: "Requests must not be compressed." });
    }
  });
});

describe("Connect clients", () => {
  // Answers come compressed to those who take them so.
  const gzip = { acceptCompression: [compressionGzip] };
  test.each([
    ["gRPC over HTTP/2", () => createGrpcTransport({ baseUrl: `http://${ports.http2}`, ...gzip })],
    [
      "gRPC-Web over HTTP/2",
      () => createGrpcWebTransport({ baseUrl: `http://${ports.http2}`, httpVersion: "2", ...gzip }),
    ],
    [
      "gRPC-Web over HTTP/1.1",
      () => createGrpcWebTransport({ baseUrl: `http://${ports.http1}`, httpVersion: "1.1", ...gzip }),
    ],
    [
      "Connect over HTTP/2",
      () => createConnectTransport({ baseUrl: `http://${ports.http2}`, httpVersion: "2", ...gzip }),
    ],
    [
      "Connect JSON by GET over HTTP/1.1",
      () =>
        createConnectTransport({
          baseUrl: `http://${ports.http1}`,
          httpVersion: "1.1",
          useBinaryFormat: false,
          useHttpGet: true,
        }),
    ],
  ])("%s: makes a quote, reads a link, gets errors with their details", async (name, make) => {
    const transport = make();
    const options = { headers: core.caller(name) };
    const pricing = createClient(PricingService, transport);
    const wish = { amount: 10_000n, currency: "BRL", paymentMethod: PaymentMethod.PIX };
    const { result } = await pricing.createQuote(wish, options);
    expect(result).toMatchObject({ case: "quote", value: { payerTotal: 10_000n } });
    const links = createClient(LinksService, transport);
    const failure = await links
      .getPaymentLink({ id: "pl_x" }, options)
      .catch((error: unknown) => ConnectError.from(error));
    expect(failure).toMatchObject({ code: Code.NotFound });
    expect((failure as ConnectError).findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "payment_link_not_found", domain: "paylink" },
    ]);
    const refused = await links
      .createPaymentLink({ ...LINK, amount: 0n }, options)
      .catch((error: unknown) => ConnectError.from(error));
    expect((refused as ConnectError).findDetails(ViolationsSchema)[0]?.violations).toHaveLength(1);
  });
});

describe("a field that no request has", () => {
  const { parent, name } = createPaymentLink;
  const send = async (type: string, key: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
    await fetch(`http://${ports.http1}/${parent.typeName}/${name}`, {
      method: "POST",
      headers: { ...core.caller(key), "content-type": type },
      body,
    });

  test.each([
    '{"amount":"15990","currency":"BRL","colour":"red"}',
    '{"amount":"15990","currency":"BRL","paymentMethods":{"values":["PAYMENT_METHOD_PIX"],"colour":"red"}}',
  ])("is refused by its name in JSON: %s", async (body) => {
    const response = await send("application/json", "unknown", body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining('"colour"') as string,
    });
  });

  test("is left alone in protobuf, as gateways of another version send it", async () => {
    const known = toBinary(createPaymentLink.input, create(createPaymentLink.input, LINK));
    const unknown = Buffer.from([0xf8, 0x01, 0x00]);
    const response = await send("application/proto", "newer", Buffer.concat([known, unknown]));
    expect(response.status).toBe(200);
  });
});
