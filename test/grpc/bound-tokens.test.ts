import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { createMerchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const SPAN = { from: "2026-01-01", to: "2026-01-02" };

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const grpc = new GrpcClient(ports.http2);
afterAll(() => grpc.close());
const [merchant, other] = [await createMerchant(service), await createMerchant(service)];

const identity = () => createClient(IdentityService, service.core.transport);
const newToken = async (permissions: string[], more: object = {}) =>
  await identity().createCoreToken({ name: "team", permissions, ...more }, service.internal);
const as = (token: string, { tenant } = merchant, mode = "test", more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  "paylink-tenant": tenant.id,
  "paylink-mode": mode,
  ...more,
});

/** "ok", or the contract's code of the refusal. */
async function outcome<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  headers: Record<string, string>,
): Promise<string | undefined> {
  return await grpc.unary(method, input, headers).then(
    () => "ok",
    async (error: unknown) => (await failureOf(Promise.reject(error))).reason,
  );
}

describe("a token that is bound", () => {
  const bound = async (more: object, permissions = ["*:admin"]) => (await newToken(permissions, more)).token;
  const { listPayments } = LedgerService.method;

  test("to a tenant acts for no other, by headers, by fields or by an id", async () => {
    const tenantId = merchant.tenant.id;
    const token = await bound({ tenantId });
    const [own, foreign] = [as(token), as(token, other)];
    expect(await outcome(listPayments, SPAN, own)).toBe("ok");
    expect(await outcome(listPayments, SPAN, as(token, merchant, "live"))).toBe("ok");
    expect(await outcome(listPayments, SPAN, foreign)).toBe("insufficient_permission");
    const { getTenant, listTenants, listCoreTokens, listApiKeys, revokeApiKey } = IdentityService.method;
    expect(await outcome(getTenant, { tenantId }, own)).toBe("ok");
    expect(await outcome(listApiKeys, { tenantId }, own)).toBe("ok");
    expect(await outcome(listApiKeys, { tenantId: other.tenant.id }, own)).toBe("insufficient_permission");
    expect(await outcome(listTenants, {}, own)).toBe("insufficient_permission");
    expect(await outcome(listCoreTokens, {}, own)).toBe("insufficient_permission");
    expect(await outcome(revokeApiKey, { id: "key_x" }, own)).toBe("insufficient_permission");
    expect(await outcome(revokeApiKey, { id: "key_x", tenantId }, own)).toBe("api_key_not_found");
    const { resetUser } = UsersService.method;
    const reset = { tenantId, userId: "usr_x", isOperator: true };
    expect(await outcome(resetUser, reset, own)).toBe("insufficient_permission");
    const { getCheckout, openSession } = CheckoutService.method;
    const [link, theirs] = [await merchant.newLink(), await other.newLink()];
    expect(await outcome(openSession, { linkId: link }, own)).toBe("ok");
    expect(await outcome(openSession, { linkId: theirs }, own)).toBe("insufficient_permission");
    const refused = await failureOf(
      grpc.unary(getCheckout, { linkId: theirs }, { authorization: `Bearer ${token}` }),
    );
    expect(refused).toMatchObject({
      status: "PERMISSION_DENIED",
      reason: "insufficient_permission",
      message: expect.stringContaining("The core token is bound to a tenant or a mode"),
    });
    expect(await outcome(getCheckout, { linkId: link }, { authorization: `Bearer ${token}` })).toBe("ok");
    expect(refused.metadata.getMap()).not.toHaveProperty("paylink-tenant");
    const whose = async (key: string) =>
      await outcome(
        IdentityService.method.authenticateApiKey,
        { keyHash: hash("sha256", key, "buffer") },
        own,
      );
    expect(await whose(merchant.tenant.testKey)).toBe("ok");
    expect(await whose(other.tenant.testKey)).toBe("invalid_api_key");
  });

  test("to an environment acts in no other", async () => {
    const token = await bound({ mode: Mode.TEST });
    const tenantId = merchant.tenant.id;
    expect(await outcome(listPayments, SPAN, as(token, other))).toBe("ok");
    expect(await outcome(listPayments, SPAN, as(token, merchant, "live"))).toBe("insufficient_permission");
    const { createApiKey, updateTenant } = IdentityService.method;
    expect(await outcome(createApiKey, { tenantId, mode: Mode.TEST }, as(token))).toBe("ok");
    expect(await outcome(createApiKey, { tenantId, mode: Mode.LIVE }, as(token))).toBe(
      "insufficient_permission",
    );
    expect(await outcome(updateTenant, { tenantId, name: "x" }, as(token))).toBe("insufficient_permission");
    const { listAuditEntries } = AuditLogService.method;
    expect(await outcome(listAuditEntries, { tenantId }, as(token))).toBe("insufficient_permission");
    expect(await outcome(listAuditEntries, { tenantId, mode: Mode.TEST }, as(token))).toBe("ok");
    const rate = { spotMicros: 5_432_100n, maxAgeSeconds: 60n };
    const { publishFxRate } = PricingService.method;
    expect(await outcome(publishFxRate, { ...rate, mode: Mode.LIVE }, as(token))).toBe(
      "insufficient_permission",
    );
    expect(await outcome(publishFxRate, { ...rate, mode: Mode.TEST }, as(token))).toBe("ok");
  });

  test("hands on no more than it has", async () => {
    const tenantId = merchant.tenant.id;
    const token = await bound({ tenantId }, ["identity:admin", "ledger:read"]);
    const make = async (permissions: string[], more: object = { tenantId }) =>
      await outcome(IdentityService.method.createCoreToken, { name: "x", permissions, ...more }, as(token));
    expect(await make(["ledger:read", "identity:read"])).toBe("ok");
    expect(await make(["ledger:read"], {})).toBe("insufficient_permission");
    expect(await make(["ledger:read"], { tenantId: other.tenant.id })).toBe("insufficient_permission");
    for (const more of ["ledger:write", "payers:read", "receipts:write", "*:read"])
      expect(await make([more])).toBe("insufficient_permission");
    const lacks = async (permissions: string[], isGateway: boolean) => {
      const wanted = { name: "x", permissions, tenantId, isGateway };
      const refused = await refusalOf(identity().createCoreToken(wanted, { headers: as(token) }));
      return [refused?.code, refused?.message];
    };
    const sentence = "The core token cannot give what it has not:";
    expect([await lacks(["ledger:read"], true), await lacks(["ledger:read", "*:read"], false)]).toEqual([
      ["insufficient_permission", `${sentence} be a gateway's.`],
      ["insufficient_permission", `${sentence} *:read.`],
    ]);
  });

  test("is listed with its bounds, and bound to a tenant that there is", async () => {
    const tenantId = merchant.tenant.id;
    const { id } = await newToken(["ledger:read"], { tenantId, mode: Mode.LIVE });
    const { coreTokens } = await identity().listCoreTokens({}, service.internal);
    expect(coreTokens.find((token) => token.id === id)).toMatchObject({ tenantId, mode: Mode.LIVE });
    expect(await refusalOf(newToken(["ledger:read"], { tenantId: "ten_nope" }))).toMatchObject({
      code: "tenant_not_found",
      message: "There is no such tenant.",
    });
  });
});
