import type { DescMethod } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { CoreClient } from "../support/core-client.ts";
import { failureOf, unaryMethods } from "../support/grpc-client.ts";
import { APART, ASKED } from "./asked-permissions.ts";

const METHODS = unaryMethods(CORE_SERVICES);
const askedBy = new Map(
  Object.entries(ASKED).flatMap(([asked, names]) =>
    // One that asks for another room's permission is named with its own.
    names.map((name) => [
      name.includes(" ") ? name : `${APART[asked] ?? asked.split(":")[0]} ${name}`,
      asked,
    ]),
  ),
);

/** An RPC by its room: several may have the same name. */
function keyOf({ name, parent }: DescMethod): string {
  return `${parent.typeName.split(".")[1]} ${name}`;
}

const LEVELS = ["read", "write", "admin"];
const { service, tenant, grpc } = await CoreClient.forFile();

const identity = () => createClient(IdentityService, service.core.transport);

async function newToken(...permissions: string[]) {
  return await identity().createCoreToken({ name: "billing", permissions }, service.internal);
}

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "paylink-tenant": tenant.id, "paylink-mode": "test" };
}

describe("without a good token", () => {
  // All in one go would be more calls than the core lets one network make without a token.
  const firstOfEach = CORE_SERVICES.flatMap((one) => unaryMethods([one]).slice(0, 1));
  test.each([
    ["none", METHODS, {}],
    ["another", firstOfEach, { authorization: "Bearer core_nothing" }],
    ["an API key", firstOfEach, () => ({ authorization: `Bearer ${tenant.testKey}` })],
    ["another scheme", firstOfEach, { authorization: "Basic dG9rZW4tb2YtdGhlLXRlc3RzLWNvcmU6" }],
  ])("%s: an RPC is UNAUTHENTICATED", async (_name, methods, headers) => {
    const metadata = typeof headers === "function" ? headers() : headers;
    for (const method of methods) {
      const failure = await failureOf(grpc.unary(method, {}, metadata as Record<string, string>));
      expect({ method: method.name, ...failure }).toMatchObject({
        method: method.name,
        status: "UNAUTHENTICATED",
        reason: "invalid_core_token",
      });
    }
  });

  test("health alone answers", async () => {
    expect(await grpc.unary(Health.method.check, {})).toMatchObject({ status: 1 });
  });
});

describe("permissions", () => {
  test("each RPC is in the table", () => {
    expect([...askedBy.keys()].toSorted()).toEqual(METHODS.map(keyOf).toSorted());
  });

  test("each RPC lets in what covers it, and nothing else", async () => {
    const permissions = Object.keys(ASKED).flatMap((asked) => {
      const [room] = asked.split(":");
      if (APART[asked]) return [asked];
      return LEVELS.map((level) => `${room}:${level}`);
    });
    for (const held of new Set([...permissions, "*:read", "*:write", "*:admin"])) {
      const { token } = await newToken(held);
      for (const method of METHODS) {
        const asked = askedBy.get(keyOf(method)) ?? "";
        const outcome = await grpc.unary(method, {}, as(token)).then(
          () => "let in",
          async (error: unknown) => (await failureOf(Promise.reject(error))).reason,
        );
        const refused = outcome === "insufficient_permission";
        expect({ held, method: method.name, refused }).toEqual({
          held,
          method: method.name,
          refused: !covers(held, asked),
        });
      }
    }
  }, 120_000);

  test("the refusal names what is lacking", async () => {
    const { token } = await newToken("ledger:read", "links:write");
    const failure = failureOf(grpc.unary(PricingService.method.createQuote, {}, as(token)));
    expect(await failure).toMatchObject({
      status: "PERMISSION_DENIED",
      message: "The core token may not write on pricing.",
    });
  });

  test.each([
    [[]],
    [["ledger"]],
    [["ledger:all"]],
    [["payments:read"]],
    [["payers:admin"]],
    [["receipts:read"]],
    [["ledger:read", "ledger:read"]],
  ])("%j is no list of permissions", async (permissions) => {
    await expect(newToken(...permissions)).rejects.toThrow(/permissions/);
  });
});

function covers(held: string, asked: string): boolean {
  const [room, level = ""] = held.split(":");
  const [askedRoom, askedLevel = ""] = asked.split(":");
  if (APART[asked]) {
    return held === asked || held === "*:admin" || (held === "payers:write" && asked === "payers:read");
  }
  return (room === "*" || room === askedRoom) && LEVELS.indexOf(level) >= LEVELS.indexOf(askedLevel);
}
