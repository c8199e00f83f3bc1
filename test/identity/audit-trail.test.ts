import { ScalarType, type DescMessage } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ActorKind, AuditLogService, type AuditEntry } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { PASSWORD, People, tokenHash } from "../support/person.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";

const USER = "usr_01jd0000000000000000000000";
const NAME = "José 李 <b>";
const SECRET_NAME = /password|secret|token|plaintext|^code$|^key$/;
const URL = "https://93.184.215.14/hook";

let service: TestService;
let rows: DatabaseRows;
let people: People;
let merchant: Merchant;
let tenantId: string;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  people = new People(service);
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

/** Call options of the console, for a person. */
function asUser(options = service.internal): TestService["internal"] {
  return {
    headers: {
      ...options.headers,
      "paylink-actor": USER,
      "paylink-actor-name": encodeURIComponent(NAME),
      "paylink-actor-address": "192.0.2.1",
    },
  };
}

async function entries(filter: object = {}): Promise<AuditEntry[]> {
  const log = createClient(AuditLogService, service.core.transport);
  return (await log.listAuditEntries({ tenantId, ...filter }, service.internal)).entries;
}

/** What the calls wrote, latest first. */
async function writtenBy(calls: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await entries()).map(({ id }) => id));
  await calls();
  return (await entries()).filter(({ id }) => !before.has(id));
}

describe("an entry", () => {
  test("tells who did what to what, when, from where and by which request", async () => {
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
        actorName: NAME,
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

  test("names the kind of actor who is no person", async () => {
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
      // Whoever has a token of its own cannot be somebody else.
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

  test("is of the new tenant, and of nobody's where there is none", async () => {
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

  test("tells of signing in and out by the person, though no header names them", async () => {
    const person = await people.join(tenantId);
    const written = await writtenBy(async () => {
      const token = await people.signIn(person, { address: "192.0.2.9" });
      await people.users.signOut({ tokenHash: tokenHash(token) }, people.internal);
    });
    expect(written).toMatchObject([
      { action: "SignOut", actorKind: ActorKind.USER, actorId: person.id },
      {
        action: "SignIn",
        actorKind: ActorKind.USER,
        actorId: person.id,
        actorName: person.email,
        address: "192.0.2.9",
      },
    ]);
  });

  test("tells each tenant of a member's refused sign-in, and none of a stranger's", async () => {
    const person = await people.join(tenantId);
    await people.joinAlso(person, (await service.createTenant()).id);
    const total = await rows.count("identity.audit_entry");
    const written = await writtenBy(async () => {
      await codeOf(people.signIn(person, { password: "wrong" }));
      await codeOf(people.signIn({ ...person, email: people.newEmail() }));
    });
    expect(written).toMatchObject([
      { action: "SignInRefused", actorId: person.id, objectId: person.id, details: { email: person.email } },
    ]);
    expect(await rows.count("identity.audit_entry")).toBe(total + 2);
  });
});

describe("nothing is written of", () => {
  test("what is only read, fails, or changes nothing", async () => {
    const person = await people.join(tenantId);
    const unknown = { tenantId, id: "le_unknown", name: "x" };
    const { id } = await identity().createApiKey({ tenantId, mode: Mode.TEST }, service.internal);
    await identity().revokeApiKey({ id }, service.internal);
    const written = await writtenBy(async () => {
      await identity().listApiKeys({ tenantId }, asUser());
      await people.sessionOf(person.token);
      await people.users.confirmPassword(
        { tokenHash: tokenHash(person.token), password: PASSWORD },
        asUser(),
      );
      expect(await codeOf(identity().renameLegalEntity(unknown, asUser()))).toBe("legal_entity_not_found");
      expect(await codeOf(identity().updateTenant({ tenantId, name: "" }, asUser()))).toBe("invalid_request");
      await identity().updateTenant({ tenantId, name: "Test", maxInstallments: 21 }, asUser());
      await identity().revokeApiKey({ id }, asUser());
      await people.users.changeMemberRole({ tenantId, userId: person.id, role: Role.OWNER }, asUser());
      expect(await codeOf(people.users.removeMember({ tenantId, userId: person.id }, asUser()))).toBe(
        "last_owner",
      );
    });
    expect(written).toEqual([]);
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
    const person = await people.join(tenantId, Role.VIEWER);
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
    await expect(people.users.removeMember({ tenantId, userId: person.id }, asUser())).rejects.toThrow(
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

test("no secret is in any entry", async () => {
  const [canary, other] = ["canary of the long passwords", "second canary of long passwords"];
  const email = people.newEmail();
  const secrets = [canary, other];
  const keep = <T extends string>(secret: T): T => {
    secrets.push(secret);
    return secret;
  };
  const invited = keep(await people.invite(tenantId, Role.OWNER, email));
  const by = { tokenHash: tokenHash(invited) };
  const { totpSecret: secret = "" } = await people.users.getInvitation(by, people.internal);
  const accepted = { ...by, name: "Ana", password: canary, code: people.codeOf(keep(secret)) };
  const { sessionToken } = await people.users.acceptInvitation(accepted, people.internal);
  const session = { tokenHash: tokenHash(keep(sessionToken)) };
  const code = people.nextCode(secret);
  keep((await people.users.signIn({ email, password: canary, code }, people.internal)).sessionToken);
  await codeOf(
    people.users.signIn({ email, password: keep("wrong canary password"), code }, people.internal),
  );
  await people.users.changePassword({ ...session, password: canary, newPassword: other }, people.internal);
  const userId = (await people.sessionOf(sessionToken)).session?.user?.id ?? "";
  keep((await people.users.resetUser({ tenantId, userId }, asUser())).token);
  keep((await identity().createApiKey({ tenantId, mode: Mode.TEST }, asUser())).key);
  keep((await identity().createCoreToken({ name: "x", permissions: ["*:read"] }, asUser())).token);
  const { secret: signing, endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: URL },
    asUser(merchant.as),
  );
  keep(signing);
  keep((await merchant.webhooks.rotateWebhookSecret({ id: endpoint?.id ?? "" }, asUser(merchant.as))).secret);

  const everything = (await rows.read(`SELECT a::text AS entry FROM identity.audit_entry a`)).map(
    ({ entry }) => String(entry),
  );
  const actions = [
    "AcceptInvitation",
    "SignIn",
    "SignInRefused",
    "ChangePassword",
    "ResetUser",
    "RotateWebhookSecret",
  ];
  expect(actions.filter((action) => !everything.some((entry) => entry.includes(action)))).toEqual([]);
  const hashes = secrets.flatMap((text) => [
    Buffer.from(tokenHash(text)).toString("hex"),
    Buffer.from(tokenHash(text)).toString("base64"),
  ]);
  for (const text of [...secrets, ...hashes]) {
    expect(everything.filter((entry) => entry.includes(text))).toEqual([]);
  }
});

test("every field of a request that is named like a secret is kept out", () => {
  const found: string[] = [];
  const visible: string[] = [];
  const look = (desc: DescMessage): void => {
    for (const field of desc.fields) {
      const name = `${desc.typeName}.${field.name}`;
      if (SECRET_NAME.test(field.name)) {
        found.push(name);
        if (field.scalar !== ScalarType.BYTES && !field.proto.options?.debugRedact) visible.push(name);
      }
      if (field.message?.typeName.startsWith("paylink.")) look(field.message);
    }
  };
  for (const { input } of unaryMethods(CORE_SERVICES)) look(input);
  expect(found).toContain("paylink.checkout.v1.StartPaymentRequest.card_token");
  expect(visible).toEqual([]);
});

describe("the list", () => {
  test("is by page, latest first, of one's own tenant, and by actor, action and environment", async () => {
    const { id: other } = await service.createTenant();
    for (const name of ["a", "b", "c"]) {
      await identity().updateTenant({ tenantId, name }, asUser());
      await identity().updateTenant({ tenantId: other, name }, service.internal);
      service.clock.advance(1);
    }
    await identity().createApiKey({ tenantId, mode: Mode.LIVE }, service.internal);
    const log = createClient(AuditLogService, service.core.transport);
    const page = async (filter: object) =>
      await log.listAuditEntries({ tenantId, ...filter }, service.internal);
    const all = await entries();
    const walked: AuditEntry[] = [];
    for (let after: string | undefined, hasMore = true; hasMore; after = walked.at(-1)?.id) {
      const { entries: some, hasMore: more } = await page({
        limit: 2,
        ...(after ? { startingAfter: after } : {}),
      });
      walked.push(...some);
      hasMore = more;
    }
    expect(walked).toEqual(all);
    expect(all.map(({ action }) => action)).toEqual([
      "CreateApiKey",
      ...Array<string>(3).fill("UpdateTenant"),
      "CreateApiKey",
      "CreateApiKey",
      "CreateTenant",
    ]);
    expect(await entries({ actor: USER })).toHaveLength(3);
    expect(await entries({ actor: "core" })).toHaveLength(4);
    expect(await entries({ actor: USER, action: "CreateApiKey" })).toEqual([]);
    expect(await entries({ action: "UpdateTenant" })).toHaveLength(3);
    expect((await entries({ mode: Mode.TEST })).map(({ mode }) => mode)).toEqual([
      undefined,
      undefined,
      undefined,
      Mode.TEST,
      undefined,
    ]);
    const [foreign] = (await log.listAuditEntries({ tenantId: other }, service.internal)).entries;
    expect(await codeOf(page({ startingAfter: foreign?.id }))).toBe("invalid_request");
  });

  test("is of days in São Paulo, both included", async () => {
    service.clock.set(new Date("2026-03-10T02:59:59Z"));
    await identity().updateTenant({ tenantId, name: "late on the 9th" }, asUser());
    service.clock.set(new Date("2026-03-10T03:00:00Z"));
    await identity().updateTenant({ tenantId, name: "early on the 10th" }, asUser());
    const named = async (filter: object) =>
      (await entries({ action: "UpdateTenant", ...filter })).map(({ details }) => details?.["name"]);
    expect(await named({ from: "2026-03-09", to: "2026-03-09" })).toEqual(["late on the 9th"]);
    expect(await named({ from: "2026-03-10", to: "2026-03-10" })).toEqual(["early on the 10th"]);
    expect(await named({ to: "2026-03-10" })).toHaveLength(2);
    expect(await named({ from: "2026-03-11" })).toEqual([]);
    expect(await codeOf(entries({ from: "2026-02-30" }))).toBe("invalid_request");
    expect(await codeOf(entries({ from: "2026-03-02", to: "2026-03-01" }))).toBe("invalid_request");
  });
});
