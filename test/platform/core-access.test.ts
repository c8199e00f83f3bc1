import { createContextValues } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import {
  admitByToken,
  presentedToken,
  namedToken,
  type NamedToken,
} from "../../src/platform/rpc/core-access.ts";
import { isAllowed, permissionOf } from "../../contract/permission.ts";

const OWN = "own-token-of-the-core";
const { getPayment, sealDay } = LedgerService.method;
const { check } = Health.method;
const { serverReflectionInfo } = ServerReflection.method;

/** The access of a core that knows some named tokens, by their plaintext. */
function startAccess() {
  const tokens = new Map<string, NamedToken>();
  const asked: string[] = [];
  const admit = admitByToken({
    coreToken: OWN,
    findToken: (tokenHash) => {
      asked.push(tokenHash);
      return Promise.resolve(tokens.get(tokenHash));
    },
    open: new Set([Health.typeName]),
    common: new Set([ServerReflection.typeName]),
  });
  const keyOf = (token: string) => hash("sha256", token, "hex");
  return {
    asked,
    issue: (token: string, permissions = ["ledger:read"]) => {
      const named = { id: `ctk_${token}`, permissions, tenantId: null, mode: null, isGateway: false };
      tokens.set(keyOf(token), named);
      return named;
    },
    revoke: (token: string) => tokens.delete(keyOf(token)),
    /** What a call comes to: "ok" or the refusal, and what its values say afterwards. */
    enter: async (
      method: Parameters<typeof admit>[0]["method"],
      authorization?: string,
      values = createContextValues(),
    ) => {
      const header = new Headers(authorization === undefined ? {} : { authorization });
      const outcome = await Promise.try(() => admit({ method, header, values })).then(
        () => "ok",
        (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
      );
      const [token, named] = [values.get(presentedToken), values.get(namedToken)];
      return { outcome, token, named };
    },
  };
}

const BAD = "invalid_core_token: The core token is missing or is not good any more.";

describe("a call enters", () => {
  test("with the core's own token, for any RPC, without a name", async () => {
    const access = startAccess();
    for (const scheme of ["Bearer", "bearer"]) {
      expect(await access.enter(sealDay, `${scheme} ${OWN}`)).toEqual({ outcome: "ok" });
    }
    expect(access.asked).toEqual([]);
  });

  test("with a named token that covers it, under that name", async () => {
    const access = startAccess();
    const named = access.issue("a");
    const entered = { outcome: "ok", token: "ctk_a", named };
    expect(await access.enter(getPayment, "Bearer a")).toEqual(entered);
  });

  test("with a named token that does not cover it: known, and refused with what is lacking", async () => {
    const access = startAccess();
    access.issue("a");
    const refused = { token: "ctk_a" };
    expect(await access.enter(sealDay, "Bearer a")).toMatchObject({
      ...refused,
      outcome: "insufficient_permission: The core token may not write on ledger.",
    });
    expect(await access.enter(LinksService.method.getPaymentLink, "Bearer a")).toMatchObject({
      ...refused,
      outcome: "insufficient_permission: The core token may not read on links.",
    });
  });

  test("to open services without a token, and to what is common with any that is good", async () => {
    const access = startAccess();
    access.issue("a", []);
    expect(await access.enter(check)).toEqual({ outcome: "ok" });
    expect(await access.enter(serverReflectionInfo)).toEqual({ outcome: BAD });
    expect(await access.enter(serverReflectionInfo, "Bearer a")).toMatchObject({
      outcome: "ok",
    });
  });

  test.each([
    undefined,
    "",
    OWN,
    "Bearer",
    "Bearer ",
    `Basic ${OWN}`,
    `xBearer ${OWN}`,
    `Bearer ${OWN}x`,
    `Bearer ${OWN} x`,
    `Bearer ${"x".repeat(201)}`,
    "Bearer unknown",
  ])("not with %j", async (authorization) => {
    const access = startAccess();
    access.issue("x".repeat(201));
    expect(await access.enter(getPayment, authorization)).toEqual({ outcome: BAD });
  });

  test("with a token of 200 characters", async () => {
    const access = startAccess();
    access.issue("x".repeat(200));
    expect((await access.enter(getPayment, `Bearer ${"x".repeat(200)}`)).outcome).toBe("ok");
  });

  test("once: what let it in is not asked again, and what refused it is", async () => {
    const access = startAccess();
    const values = createContextValues();
    expect((await access.enter(getPayment, "Bearer a", values)).outcome).toBe(BAD);
    access.issue("a");
    for (let time = 0; time < 2; time++)
      expect((await access.enter(getPayment, "Bearer a", values)).outcome).toBe("ok");
    expect(access.asked).toHaveLength(2);
  });
});

describe("permissions", () => {
  test("are of an RPC's service: read without a side effect, admin where it is administrative, else write", () => {
    const { checkLedger } = LedgerService.method;
    const { getPayerDetails, recordReceipt } = CheckoutService.method;
    const asked = [getPayment, sealDay, checkLedger, getPayerDetails, recordReceipt].map(permissionOf);
    expect(asked).toEqual(["ledger:read", "ledger:write", "ledger:admin", "payers:read", "receipts:write"]);
  });

  test.each([
    [["ledger:read"], "ledger:read", true],
    [["ledger:read"], "ledger:write", false],
    [["ledger:write"], "ledger:read", true],
    [["ledger:write"], "ledger:admin", false],
    [["ledger:admin"], "ledger:write", true],
    [["links:admin"], "ledger:read", false],
    [["links:read", "ledger:read"], "ledger:read", true],
    [["*:read"], "ledger:read", true],
    [["*:read"], "ledger:write", false],
    [["*:write"], "ledger:write", true],
    [["*:write"], "payers:read", false],
    [["*:write"], "receipts:write", false],
    [["*:admin"], "payers:read", true],
    [["*:admin"], "receipts:write", true],
    [["payers:read"], "payers:read", true],
    [["checkout:admin"], "payers:read", false],
    [[], "ledger:read", false],
    [["ledger"], "ledger:read", false],
    [["ledger:none"], "ledger:read", false],
  ])("%j held and %s asked for: %s", (held, asked, allowed) => {
    expect(isAllowed(held, asked)).toBe(allowed);
  });
});
