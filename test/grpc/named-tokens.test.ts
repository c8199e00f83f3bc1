import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { ActorKind, AuditLogService, ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { asUser, auditEntries, USER, USER_EMAIL } from "../support/audit.ts";
import { openCorePorts, type CorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { Users, tokenHash } from "../support/users.ts";
import { startService, type TestService } from "../support/service.ts";

const SPAN = { from: "2026-01-01", to: "2026-01-02" };

let service: TestService;
let ports: CorePorts;
let grpc: GrpcClient;
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  service = await startService();
  ports = await openCorePorts(service.core);
  grpc = new GrpcClient(ports.http2);
  [merchant, other] = [await createMerchant(service), await createMerchant(service)];
});
afterAll(async () => {
  grpc.close();
  await ports.close();
  await service.close();
});

const identity = () => createClient(IdentityService, service.core.transport);
const newToken = async (permissions: string[], more: object = {}) =>
  await identity().createCoreToken({ name: "team", permissions, ...more }, service.internal);
const as = (token: string, { tenant } = merchant, mode = "test", more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  "paylink-tenant": tenant.id,
  "paylink-mode": mode,
  ...more,
});

/** What the calls wrote into the tenant's trail, latest first. */
async function writtenBy(calls: () => Promise<unknown>, { tenant } = merchant) {
  const before = new Set((await auditEntries(service, tenant.id)).map(({ id }) => id));
  await calls();
  return (await auditEntries(service, tenant.id)).filter(({ id }) => !before.has(id));
}

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

/** A payment whose payer gave a telephone. */
async function paymentWithPayer(): Promise<string> {
  const link = await merchant.newLink({ collect_fields: ["phone"] });
  const payer = new Payer(service, link);
  await payer.open();
  return (await payer.start({ payer: { phone: "11 91234-5678" } })).paymentId;
}

describe("the trail of a named token", () => {
  const { createPaymentLink } = LinksService.method;
  const LINK = { amount: 15_990n, currency: "BRL" };

  test("holds its every change under its name, with any headers", async () => {
    const { id, token } = await newToken(["links:write", "ledger:write"]);
    const forged = asUser({ headers: {} }).headers;
    const cases: [headers: Record<string, string>, onBehalfOf: object | undefined][] = [
      [{}, undefined],
      [forged, { actor: USER, name: USER_EMAIL, address: "192.0.2.1" }],
      [{ "paylink-actor": "command_line" }, { actor: "command_line", name: "", address: "" }],
      [{ "paylink-actor-name": "somebody" }, undefined],
    ];
    for (const [more, claimed] of cases) {
      let made: string | undefined;
      const written = await writtenBy(async () => {
        const headers = as(token, merchant, "test", { "idempotency-key": crypto.randomUUID(), ...more });
        made = (await grpc.unary(createPaymentLink, LINK, headers)).paymentLink?.id;
      });
      expect(written).toMatchObject([
        {
          actorKind: ActorKind.CORE_TOKEN,
          actorId: id,
          actorName: "",
          address: "",
          objectId: made,
          mode: Mode.TEST,
        },
      ]);
      expect(written[0]?.details?.["on_behalf_of"]).toEqual(claimed);
    }
  });

  test("is that of whom the change is for, though the headers name another", async () => {
    const { id, token } = await newToken(["*:admin"]);
    const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    const { paymentId } = await payer.start();
    const key = await identity().createApiKey(
      { tenantId: merchant.tenant.id, mode: Mode.LIVE },
      service.internal,
    );
    const headers = as(token, other, "live");
    const elsewhere = writtenBy(async () => {
      const written = await writtenBy(async () => {
        const given = { reference: paymentId.replace("_", ""), amount: 1n, providerPaymentId: "E2E" };
        await grpc.unary(CheckoutService.method.recordReceipt, given, headers);
        await grpc.unary(IdentityService.method.revokeApiKey, { id: key.id }, headers);
      });
      expect(written.map(({ action, mode, actorId }) => [action, mode, actorId])).toEqual([
        ["RevokeApiKey", Mode.LIVE, id],
        ["RecordReceipt", Mode.TEST, id],
      ]);
    }, other);
    expect(await elsewhere).toEqual([]);
  });

  test("stays its own where the call is about a user", async () => {
    const { id, token } = await newToken(["*:admin"]);
    const user = await new Users(service).join(merchant.tenant.id);
    const written = await writtenBy(async () => {
      await grpc.unary(UsersService.method.signOut, { tokenHash: tokenHash(user.token) }, as(token));
    });
    expect(written).toMatchObject([
      {
        action: "SignOut",
        actorKind: ActorKind.CORE_TOKEN,
        actorId: id,
        details: { on_behalf_of: { actor: user.id, name: user.email } },
      },
    ]);
  });

  test("signs a sealed day with its own name", async () => {
    const { id, token } = await newToken(["ledger:write"]);
    const headers = as(token, merchant, "test", { "paylink-actor": USER });
    const { seal } = await grpc.unary(LedgerService.method.sealDay, { day: SPAN.from }, headers);
    expect(seal?.sealedBy).toBe(id);
  });

  test("leaves out what a gateway's does for merchants and payers, and nothing else of it", async () => {
    const permissions = ["links:write", "checkout:write", "webhooks:write", "ledger:write", "payers:read"];
    const { id, token } = await newToken(permissions, { isGateway: true });
    const headers = () => as(token, merchant, "test", { "idempotency-key": crypto.randomUUID() });
    const { createWebhookEndpoint } = WebhooksService.method;
    const written = await writtenBy(async () => {
      const { paymentLink } = await grpc.unary(createPaymentLink, LINK, headers());
      await grpc.unary(CheckoutService.method.openSession, { linkId: paymentLink?.id ?? "" }, headers());
      await grpc.unary(createWebhookEndpoint, { url: "https://93.184.215.14/hook" }, headers());
      await grpc.unary(createPaymentLink, LINK, { ...headers(), "paylink-actor": USER });
    });
    expect(written.map(({ action, actorId }) => [action, actorId])).toEqual([
      ["CreatePaymentLink", id],
      ["CreateWebhookEndpoint", id],
    ]);
  });
});

describe("what is shown or taken is in the audit log", () => {
  test("each time a payer's data is shown, to any token; not when there is none to show", async () => {
    const paymentId = await paymentWithPayer();
    const { body: bare } = await merchant.pay();
    const { id, token } = await newToken(["payers:read"]);
    const { getPayerDetails } = CheckoutService.method;
    const show = async (asked: string, headers: Record<string, string>) =>
      (await grpc.unary(getPayerDetails, { paymentId: asked }, headers)).payer?.phone;
    const written = await writtenBy(async () => {
      expect(await show(paymentId, as(token))).toBe("+5511912345678");
      expect(await show(paymentId, asUser(merchant.as).headers)).toBe("+5511912345678");
      expect(await show(paymentId, merchant.as.headers)).toBe("+5511912345678");
      expect(await outcome(getPayerDetails, { paymentId: "pay_unknown" }, as(token))).toBe(
        "payment_not_found",
      );
      expect(await outcome(getPayerDetails, { paymentId: bare.id }, as(token))).toBe("payment_not_found");
    });
    const common = { action: "GetPayerDetails", objectId: paymentId, mode: Mode.TEST };
    expect(written).toMatchObject([
      { ...common, actorKind: ActorKind.CORE },
      { ...common, actorKind: ActorKind.USER, actorId: USER },
      { ...common, actorKind: ActorKind.CORE_TOKEN, actorId: id },
    ]);
    expect(JSON.stringify(written, (_, value) => (typeof value === "bigint" ? 0 : value))).not.toContain(
      "91234",
    );
  });

  test("nothing is shown that could not be written", async () => {
    const paymentId = await paymentWithPayer();
    const { token } = await newToken(["payers:read"]);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const broken =
      "ALTER TABLE identity.audit_entry ADD CONSTRAINT broken CHECK (action <> 'GetPayerDetails') NOT VALID";
    await rows.run(broken);
    const call = grpc.unary(CheckoutService.method.getPayerDetails, { paymentId }, as(token));
    expect(await failureOf(call)).toMatchObject({ status: "INTERNAL" });
    expect(service.faults.splice(0)).toHaveLength(1);
    await rows.run("ALTER TABLE identity.audit_entry DROP CONSTRAINT broken");
    await rows.close();
  });

  test("each piece of a sealed day, but for a user's, whose export is recorded as a whole", async () => {
    await merchant.pay();
    const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
    service.clock.advance(2 * 86_400);
    await merchant.ledger.sealDay({ day }, merchant.as);
    const { id, token } = await newToken(["ledger:read", "identity:admin"]);
    const { listSealedRows } = LedgerService.method;
    const tenantId = merchant.tenant.id;
    const written = await writtenBy(async () => {
      await grpc.unary(listSealedRows, { day }, as(token));
      await grpc.unary(listSealedRows, { day }, as(token, merchant, "test", { "paylink-actor": USER }));
      await grpc.unary(listSealedRows, { day }, asUser(merchant.as).headers);
      const facts = {
        tenantId,
        mode: Mode.TEST,
        kind: ExportKind.SEALED_DAY,
        format: "csv",
        from: day,
        rowCount: 1n,
      };
      await grpc.unary(AuditLogService.method.recordExport, facts, asUser(service.internal).headers);
    });
    expect(written).toMatchObject([
      { action: "RecordExport", actorId: USER, details: { from: day, format: "csv", row_count: "1" } },
      { action: "ListSealedRows", actorId: id, objectId: day, details: { on_behalf_of: { actor: USER } } },
      {
        action: "ListSealedRows",
        actorId: id,
        objectId: day,
        details: { day, row_count: expect.any(Number) },
      },
    ]);
  });
});

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
