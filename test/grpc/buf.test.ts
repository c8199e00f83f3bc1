import { fromBinary } from "@bufbuild/protobuf";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { SERVICE_NAMES } from "../support/service-names.ts";
import { startService } from "../support/service.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const tenant = await service.createTenant();

const buf = async (...args: string[]) => await bufIn(ROOT, ...args);

async function bufIn(
  cwd: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const bin = join(ROOT, "node_modules", ".bin", "buf");
  return await new Promise((resolve) => {
    execFile(bin, args, { cwd }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

const url = (path: string): string => `http://${ports.http2}${path}`;
const headersOf = (flag: string, headers: Record<string, string>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => [flag, `${name}: ${value}`]);
const asTenant = (): Record<string, string> => ({
  ...service.internal.headers,
  "paylink-tenant": tenant.id,
  "paylink-mode": "test",
});
const QUOTE = '{"amount":"15990","currency":"BRL","paymentMethod":"PAYMENT_METHOD_PIX"}';

describe("buf curl", () => {
  test.each(["grpc", "grpcweb", "connect"])("--schema proto, over %s: makes a quote", async (protocol) => {
    const { code, stdout, stderr } = await buf(
      "curl",
      "--schema",
      ".",
      "--protocol",
      protocol,
      "--http2-prior-knowledge",
      "-d",
      QUOTE,
      ...headersOf("-H", { ...asTenant(), "idempotency-key": `schema ${protocol}` }),
      url("/paylink.pricing.v1.PricingService/CreateQuote"),
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ quote: { payerTotal: "15990", tenantId: tenant.id } });
  });

  test.each(["grpc-v1", "grpc-v1alpha"])("by reflection %s alone: makes a quote", async (reflection) => {
    const { code, stdout, stderr } = await buf(
      "curl",
      "--reflect-protocol",
      reflection,
      "--protocol",
      "grpc",
      "--http2-prior-knowledge",
      "-d",
      QUOTE,
      ...headersOf("--reflect-header", service.internal.headers),
      ...headersOf("-H", { ...asTenant(), "idempotency-key": reflection }),
      url("/paylink.pricing.v1.PricingService/CreateQuote"),
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ quote: { payerTotal: "15990" } });
  });

  test("the Tab key completes services and methods in a checkout", async () => {
    const complete = async (path: string): Promise<string> =>
      (await buf("__complete", "curl", "--http2-prior-knowledge", url(path))).stdout;
    expect(await complete("/paylink.l")).toContain("/paylink.ledger.");
    expect(await complete("/paylink.ledger.v1.LedgerService/GetP")).toContain("LedgerService/GetPayment\t");
  });

  test("and outside of one from an open reflection, which admits no call, and from none other", async () => {
    const open = await startService("direct", { allowOpenReflection: true });
    const openPorts = await openCorePorts(open.core);
    const at = (path: string): string => `http://${openPorts.http2}${path}`;
    const completed = async (address: string): Promise<string> =>
      (await bufIn(tmpdir(), "__complete", "curl", address)).stdout;
    expect(await completed(at("/paylink.l"))).toContain("/paylink.ledger.");
    expect(await completed(at("/paylink.ledger.v1.LedgerService/GetP"))).toContain(
      "LedgerService/GetPayment\t",
    );
    expect(await completed(url("/paylink.l"))).not.toContain("ledger");
    const called = await bufIn(tmpdir(), "curl", at("/paylink.ledger.v1.LedgerService/ListPayments"));
    expect([called.code > 0, called.stdout]).toEqual([true, ""]);
    expect(called.stderr).toContain("unauthenticated");
    await openPorts.close();
    await open.close();
  });

  test("errors show the contract's code", async () => {
    const { code, stderr } = await buf(
      "curl",
      "--protocol",
      "grpc",
      "--http2-prior-knowledge",
      "-d",
      '{"id":"pl_x"}',
      ...headersOf("--reflect-header", service.internal.headers),
      ...headersOf("-H", asTenant()),
      url("/paylink.links.v1.LinksService/GetPaymentLink"),
    );
    expect(code).not.toBe(0);
    const error = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: "not_found",
      details: [{ type: "google.rpc.ErrorInfo" }],
    });
    const info = fromBinary(ErrorInfoSchema, Buffer.from(error.details[0].value, "base64"));
    expect(info.reason).toBe("payment_link_not_found");
  });

  test("lists services and methods with a token, and nothing without one", async () => {
    const asked = ["curl", "--http2-prior-knowledge"];
    const reflect = headersOf("--reflect-header", service.internal.headers);
    const services = await buf(...asked, "--list-services", ...reflect, url(""));
    expect(services.stdout.trim().split("\n")).toEqual(["grpc.health.v1.Health", ...SERVICE_NAMES]);
    const methods = await buf(...asked, "--list-methods", ...reflect, url(""));
    expect(methods.stdout).toContain("paylink.links.v1.LinksService/AcceptQuote");
    const refused = await buf(...asked, "--list-services", url(""));
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toBe("");
    expect(refused.stderr).toContain("not authenticated");
  });
});
