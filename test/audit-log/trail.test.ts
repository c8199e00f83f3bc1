import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { ActorKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { SimulatedOutcome } from "../../gen/paylink/links/v1/links_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { auditEntries, auditEntriesBy, makeOwner, USER, USER_EMAIL } from "../support/audit.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { tokenHash } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { auditedService, HOOK } from "./audited-service.ts";

const { service, rows, users, identity, asUser } = await auditedService();

let merchant: Merchant;
let tenantId: string;
beforeEach(async () => {
  merchant = await createMerchant(service);
  tenantId = merchant.tenant.id;
});

const entries = async (filter: object = {}) => await auditEntries(service, tenantId, filter);
const writtenBy = async (calls: () => Promise<unknown>) => await auditEntriesBy(service, tenantId, calls);

describe("an entry", () => {
  test("has the actor, the change, its object, time, address and request", async () => {
    await makeOwner(rows, tenantId);
    const requestId = "req_01jd0000000000000000000000";
    const options = asUser();
    options.headers["paylink-request-id"] = requestId;
    let made: { id: string } | undefined;
    const startedAt = Math.floor(service.clock.nowMs() / 1000);
    const written = await writtenBy(async () => {
      made = await identity.createApiKey({ tenantId, mode: Mode.LIVE, name: "till" }, options);
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
      id = (await webhooks.createWebhookEndpoint({ url: HOOK }, asUser(merchant.as))).endpoint?.id;
    });
    expect(written).toMatchObject([
      { action: "CreateWebhookEndpoint", mode: Mode.TEST, objectId: id, details: { url: HOOK } },
    ]);
  });

  test("names the object that was made or asked for, not the row that is written first", async () => {
    await makeOwner(rows, tenantId);
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

    const { endpoint } = await webhooks.createWebhookEndpoint({ url: HOOK }, as);
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
    const { id, token } = await identity.createCoreToken(
      { name: "billing", permissions: ["identity:admin"] },
      service.internal,
    );
    const headersOf = (authorization: string, actor?: string) => ({
      headers: { authorization, ...(actor === undefined ? {} : { "paylink-actor": actor }) },
    });
    const own = service.internal.headers["authorization"] ?? "";
    const rename = async (name: string, options: { headers: Record<string, string> }) =>
      await identity.updateTenant({ tenantId, name }, options);
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
    const { id } = await identity.createTenant({ name: "New", payoutCurrency: "BRL" }, service.internal);
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
