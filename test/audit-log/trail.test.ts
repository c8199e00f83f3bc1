import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ActorKind, type AuditEntry } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { SimulatedOutcome } from "../../gen/paylink/links/v1/links_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { asUser as asUserWith, auditEntries, USER, USER_EMAIL } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { PASSWORD, Users, tokenHash } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";

const URL = "https://93.184.215.14/hook";

let service: TestService;
let rows: DatabaseRows;
let users: Users;
let merchant: Merchant;
let tenantId: string;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  users = new Users(service);
});
beforeEach(async () => {
  merchant = await createMerchant(service);
  tenantId = merchant.tenant.id;
});
afterAll(async () => {
  await rows.close();
  await service.close();
});

const identity = () => createClient(IdentityService, service.core.transport);

const asUser = (options = service.internal) => asUserWith(options);
const entries = async (filter: object = {}) => await auditEntries(service, tenantId, filter);

/** What the calls wrote, latest first. */
async function writtenBy(calls: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await entries()).map(({ id }) => id));
  await calls();
  return (await entries()).filter(({ id }) => !before.has(id));
}

describe("an entry", () => {
  test("has the actor, the change, its object, time, address and request", async () => {
    const requestId = "req_01jd0000000000000000000000";
    const options = asUser();
    options.headers["paylink-request-id"] = requestId;
    let made: { id: string } | undefined;
    const startedAt = Math.floor(service.clock.nowMs() / 1000);
    const written = await writtenBy(async () => {
      made = await identity().createApiKey({ tenantId, mode: Mode.LIVE, name: "till" }, options);
    });
    expect(written).toMatchObject([
      {
        actorKind: ActorKind.USER,
        actorId: USER,
        actorName: USER_EMAIL,
        action: "CreateApiKey",
        mode: Mode.LIVE,
        objectId: made?.id,
        details: { tenant_id: tenantId, mode: "MODE_LIVE", name: "till" },
        address: "192.0.2.1",
        requestId,
      },
    ]);
    expect(written[0]?.id).toMatch(/^aud_/);
    expect(Number(written[0]?.createdAt?.seconds)).toBeGreaterThanOrEqual(startedAt);
  });

  test("of a change in one environment is of that one", async () => {
    const { webhooks } = merchant;
    let id: string | undefined;
    const written = await writtenBy(async () => {
      id = (await webhooks.createWebhookEndpoint({ url: URL }, asUser(merchant.as))).endpoint?.id;
    });
    expect(written).toMatchObject([
      { action: "CreateWebhookEndpoint", mode: Mode.TEST, objectId: id, details: { url: URL } },
    ]);
  });

  test("names the object that was made or asked for, not the row that is written first", async () => {
    const pricing = createClient(PricingService, service.core.transport);
    const { links, ledger, webhooks, as } = merchant;
    const once = () => {
      const options = asUser(as);
      options.headers["idempotency-key"] = crypto.randomUUID();
      return options;
    };
    const priced = { amount: 15_990n, currency: "BRL" };
    const quoted = await pricing.createQuote({ ...priced, paymentMethod: PaymentMethod.PIX }, once());
    const quoteId = quoted.result.case === "quote" ? quoted.result.value.id : "";
    const { acceptedLink } = await links.acceptQuote({ id: quoteId, name: "Chair" }, once());
    const every = await pricing.createQuote(priced, once());
    const first = every.result.case === "scenarios" ? every.result.value.pix?.quoteId : undefined;
    const linkId = await merchant.newLink();
    await links.simulatePayment({ id: linkId, outcome: SimulatedOutcome.SUCCEEDED }, once());
    const canceled = await merchant.newLink();
    await links.cancelPaymentLink({ id: canceled }, once());

    const email = users.newEmail();
    await users.client.inviteUser({ tenantId, email, role: Role.VIEWER }, asUser());
    const invited = await users.client.inviteUser({ tenantId, email, role: Role.VIEWER }, asUser());

    const { endpoint } = await webhooks.createWebhookEndpoint({ url: URL }, as);
    const endpointId = endpoint?.id ?? "";
    await webhooks.disableWebhookEndpoint({ id: endpointId }, as);
    await merchant.pay();
    await webhooks.enableWebhookEndpoint({ id: endpointId }, as);
    await webhooks.resendFailedEvents({ endpointId, since: timestampFromMs(0) }, asUser(as));

    const [written, ...ofPeople] = await Promise.all([entries(), entries({ action: "InviteUser" })]);
    const objectsOf = (action: string) =>
      written.filter((entry) => entry.action === action).map(({ objectId }) => objectId);
    expect(ofPeople.flat().at(0)?.objectId).toBe(invited.invitationId);
    expect(objectsOf("CreateQuote")).toEqual([first, quoteId]);
    expect(objectsOf("AcceptQuote")).toEqual([acceptedLink?.id]);
    expect(objectsOf("SimulatePayment")).toEqual([linkId]);
    expect(objectsOf("CancelPaymentLink")).toEqual([canceled]);
    expect(objectsOf("ResendFailedEvents")).toEqual([endpointId]);

    const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
    service.clock.advance(2 * 86_400);
    const sealed = await writtenBy(async () => await ledger.sealDay({ day }, asUser(as)));
    expect(sealed).toMatchObject([{ action: "SealDay", objectId: day, mode: Mode.TEST, details: { day } }]);
  });

  test("names the kind of an actor that is no user", async () => {
    const { id, token } = await identity().createCoreToken(
      { name: "billing", permissions: ["identity:admin"] },
      service.internal,
    );
    const headersOf = (authorization: string, actor?: string) => ({
      headers: { authorization, ...(actor === undefined ? {} : { "paylink-actor": actor }) },
    });
    const own = service.internal.headers["authorization"] ?? "";
    const rename = async (name: string, options: { headers: Record<string, string> }) =>
      await identity().updateTenant({ tenantId, name }, options);
    const written = await writtenBy(async () => {
      await rename("a", headersOf(own));
      await rename("b", headersOf(own, "command_line"));
      await rename("c", headersOf(`Bearer ${token}`));
      // A caller with a token of its own cannot act as another.
      await rename("d", headersOf(`Bearer ${token}`, USER));
      await rename("e", headersOf(own, "somebody"));
    });
    expect(written.toReversed().map(({ actorKind, actorId }) => [actorKind, actorId])).toEqual([
      [ActorKind.CORE, ""],
      [ActorKind.COMMAND_LINE, ""],
      [ActorKind.CORE_TOKEN, id],
      [ActorKind.CORE_TOKEN, id],
      [ActorKind.CORE, ""],
    ]);
  });

  test("belongs to the new tenant, and to none if there is none", async () => {
    const { id } = await identity().createTenant({ name: "New", payoutCurrency: "BRL" }, service.internal);
    tenantId = id;
    expect(await entries()).toMatchObject([{ action: "CreateTenant", objectId: id }]);
    const pricing = createClient(PricingService, service.core.transport);
    await pricing.publishFxRate(
      { mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 60n },
      service.internal,
    );
    tenantId = "default";
    expect((await entries())[0]).toMatchObject({ action: "PublishFxRate", mode: Mode.TEST });
  });

  test("has the user who signs in or out, though no header names them", async () => {
    const user = await users.join(tenantId);
    const written = await writtenBy(async () => {
      const token = await users.signIn(user, { address: "192.0.2.9" });
      await users.client.signOut({ tokenHash: tokenHash(token) }, users.internal);
    });
    expect(written).toMatchObject([
      { action: "SignOut", actorKind: ActorKind.USER, actorId: user.id },
      {
        action: "SignIn",
        actorKind: ActorKind.USER,
        actorId: user.id,
        actorName: user.email,
        address: "192.0.2.9",
      },
    ]);
  });

  test("of a member's refused sign-in is in each of their tenants, and a stranger's is in none", async () => {
    const user = await users.join(tenantId);
    await users.joinAlso(user, (await service.createTenant()).id);
    const total = await rows.count("identity.audit_entry");
    const written = await writtenBy(async () => {
      await codeOf(users.signIn(user, { password: "wrong" }));
      await codeOf(users.signIn({ ...user, email: users.newEmail() }));
    });
    expect(written).toMatchObject([
      { action: "SignInRefused", actorId: user.id, objectId: user.id, details: { email: user.email } },
    ]);
    expect(await rows.count("identity.audit_entry")).toBe(total + 2);
  });
});

test("one of several accounts of an address does not see where a refused sign-in of another came from", async () => {
  const [user, other] = [await users.join(tenantId), await service.createTenant()];
  const own = await users.joinAnew(other.id, user.email, "a password of their own");
  const address = "192.0.2.77";
  const written = await writtenBy(async () => {
    await codeOf(users.signIn(own, { password: "wrong", address }));
    await codeOf(users.signIn(own, { password: "a password of their own", code: "000000", address }));
  });
  expect(written).toMatchObject([{ action: "SignInRefused", actorId: user.id, address: "" }]);
});

describe("nothing is written of", () => {
  test("what is only read, fails, or changes nothing", async () => {
    const user = await users.join(tenantId);
    const unknown = { tenantId, id: "le_unknown", name: "x" };
    const { id } = await identity().createApiKey({ tenantId, mode: Mode.TEST }, service.internal);
    await identity().revokeApiKey({ id }, service.internal);
    const written = await writtenBy(async () => {
      await identity().listApiKeys({ tenantId }, asUser());
      await users.sessionOf(user.token);
      await users.client.confirmPassword({ tokenHash: tokenHash(user.token), password: PASSWORD }, asUser());
      expect(await codeOf(identity().renameLegalEntity(unknown, asUser()))).toBe("legal_entity_not_found");
      expect(await codeOf(identity().updateTenant({ tenantId, name: "" }, asUser()))).toBe("invalid_request");
      await identity().updateTenant({ tenantId, name: "Test", maxInstallments: 21 }, asUser());
      await identity().revokeApiKey({ id }, asUser());
      await users.client.changeMemberRole({ tenantId, userId: user.id, role: Role.OWNER }, asUser());
      expect(await codeOf(users.client.removeMember({ tenantId, userId: user.id }, asUser()))).toBe(
        "last_owner",
      );
    });
    expect(written).toEqual([]);
  });

  test("an endpoint that is saved without a change", async () => {
    const { webhooks } = merchant;
    const given = { url: URL, eventTypes: { values: ["payment.failed", "link.expired"] } };
    const { endpoint } = await webhooks.createWebhookEndpoint(given, asUser(merchant.as));
    const id = endpoint?.id ?? "";
    const save = async (changed: object) =>
      await webhooks.updateWebhookEndpoint({ id, ...given, ...changed }, asUser(merchant.as));
    expect(await writtenBy(async () => await save({}))).toEqual([]);
    const written = await writtenBy(async () => await save({ eventTypes: { values: ["link.expired"] } }));
    expect(written).toMatchObject([{ action: "UpdateWebhookEndpoint", objectId: id }]);
  });

  test("what merchants do by key", async () => {
    const before = await rows.count("identity.audit_entry");
    const link = await merchant.newLink();
    await merchant.simulate(link);
    expect(await rows.count("test.payment WHERE tenant_id = $1", [tenantId])).toBe(1);
    expect(await rows.count("identity.audit_entry")).toBe(before);
  });

  test("a replay: one change has one entry", async () => {
    const options = asUser(merchant.as);
    options.headers["idempotency-key"] = "once";
    const given = { amount: 1000n, currency: "BRL" };
    let first = "";
    const written = await writtenBy(async () => {
      first = (await merchant.links.createPaymentLink(given, options)).paymentLink?.id ?? "";
      const again = await Promise.all([1, 2].map(() => merchant.links.createPaymentLink(given, options)));
      expect(again.map(({ paymentLink }) => paymentLink?.id)).toEqual([first, first]);
    });
    expect(written).toMatchObject([{ action: "CreatePaymentLink", mode: Mode.TEST, objectId: first }]);
  });
});

describe("a change and its entry", () => {
  const xmins = async (table: string, id: string) =>
    await rows.count(
      `identity.audit_entry a, ${table} o WHERE a.tenant_id = $1 AND a.object_id = $2 AND o.id = $2 AND a.xmin = o.xmin`,
      [tenantId, id],
    );

  test("are one transaction, in each schema", async () => {
    const key = await identity().createApiKey({ tenantId, mode: Mode.TEST }, asUser());
    expect(await xmins("identity.api_key", key.id)).toBe(1);
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url: URL }, asUser(merchant.as));
    expect(await xmins("test.webhook_endpoint", endpoint?.id ?? "")).toBe(1);
  });

  test("are written both or neither", async () => {
    const user = await users.join(tenantId, Role.VIEWER);
    await rows.run(
      "ALTER TABLE identity.audit_entry ADD CONSTRAINT broken CHECK (actor_id <> 'usr_01jd0000000000000000000000') NOT VALID",
    );
    const counts = async () => [
      await rows.count("identity.api_key WHERE tenant_id = $1", [tenantId]),
      await rows.count("identity.membership WHERE tenant_id = $1", [tenantId]),
      await rows.count("identity.session WHERE tenant_id = $1", [tenantId]),
      await rows.count("test.webhook_endpoint WHERE tenant_id = $1", [tenantId]),
    ];
    const before = await counts();
    await expect(identity().createApiKey({ tenantId, mode: Mode.TEST }, asUser())).rejects.toThrow(
      "internal error",
    );
    await expect(users.client.removeMember({ tenantId, userId: user.id }, asUser())).rejects.toThrow(
      "internal error",
    );
    await expect(merchant.webhooks.createWebhookEndpoint({ url: URL }, asUser(merchant.as))).rejects.toThrow(
      "internal error",
    );
    expect(await counts()).toEqual(before);
    expect(service.faults.splice(0)).toHaveLength(3);
    await rows.run("ALTER TABLE identity.audit_entry DROP CONSTRAINT broken");
    await identity().createApiKey({ tenantId, mode: Mode.TEST }, asUser());
    expect(await counts()).toEqual([(before[0] ?? 0) + 1, ...before.slice(1)]);
  });
});

test.each([
  ["UPDATE", "UPDATE identity.audit_entry SET action = action WHERE tenant_id = $1"],
  ["DELETE", "DELETE FROM identity.audit_entry WHERE tenant_id = $1"],
])("%s of an entry is refused", async (_, sql) => {
  expect((await entries()).length).toBeGreaterThan(0);
  await expect(rows.run(sql, [tenantId])).rejects.toThrow("audit_entry is append-only");
});

test("TRUNCATE is refused", async () => {
  await expect(rows.run("TRUNCATE identity.audit_entry CASCADE")).rejects.toThrow(
    "audit_entry is append-only",
  );
});
