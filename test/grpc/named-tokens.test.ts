import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { ActorKind, AuditLogService, ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { asUser, auditEntriesBy, USER, USER_EMAIL } from "../support/audit.ts";
import { openCorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { Users, tokenHash } from "../support/users.ts";
import { startService } from "../support/service.ts";

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

/** What the calls wrote into the tenant's trail, latest first. */
const writtenBy = async (calls: () => Promise<unknown>, { tenant } = merchant) =>
  await auditEntriesBy(service, tenant.id, calls);

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
const KEY = "key_01jd0000000000000000000000";

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
      [
        { "paylink-actor": USER, "paylink-actor-name": "a%00b" },
        { actor: USER, name: "a\u{FFFD}b", address: "" },
      ],
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
    const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
    service.clock.advance(2 * 86_400);
    const { seal } = await grpc.unary(LedgerService.method.sealDay, { day }, headers);
    expect(seal?.sealedBy).toBe(id);
  });

  test("leaves out what a gateway's does for merchants and payers, and nothing else of it", async () => {
    const permissions = ["links:write", "checkout:write", "webhooks:write"];
    const { id, token } = await newToken(permissions, { isGateway: true });
    const headers = () => as(token, merchant, "test", { "idempotency-key": crypto.randomUUID() });
    const { createWebhookEndpoint: create } = WebhooksService.method;
    const written = await writtenBy(async () => {
      const { paymentLink } = await grpc.unary(createPaymentLink, LINK, headers());
      await grpc.unary(CheckoutService.method.openSession, { linkId: paymentLink?.id ?? "" }, headers());
      await grpc.unary(create, { url: "https://93.184.215.14/hook" }, { ...headers(), "paylink-actor": KEY });
      await grpc.unary(createPaymentLink, LINK, { ...headers(), "paylink-actor": USER });
    });
    expect(written.map(({ action, actorId }) => [action, actorId])).toEqual([
      ["CreatePaymentLink", id],
      ["CreateWebhookEndpoint", id],
    ]);
    expect(written[1]?.details).toMatchObject({ on_behalf_of: { actor: KEY } });
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
