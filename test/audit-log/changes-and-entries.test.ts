import { beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditEntries, auditEntriesBy, makeOwner } from "../support/audit.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { PASSWORD, tokenHash } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { auditedService, HOOK } from "./audited-service.ts";

const { service, rows, users, identity, asUser } = await auditedService();

let merchant: Merchant;
let tenantId: string;
beforeEach(async () => {
  merchant = await createMerchant(service);
  tenantId = merchant.tenant.id;
});

const writtenBy = async (calls: () => Promise<unknown>) => await auditEntriesBy(service, tenantId, calls);

describe("nothing is written of", () => {
  test("what is only read, fails, or changes nothing", async () => {
    const user = await users.join(tenantId);
    const unknown = { tenantId, id: "le_unknown", name: "x" };
    const { id } = await identity.createApiKey({ tenantId, mode: Mode.TEST }, service.internal);
    await identity.revokeApiKey({ id }, service.internal);
    const written = await writtenBy(async () => {
      await identity.listApiKeys({ tenantId }, asUser());
      await users.sessionOf(user.token);
      await users.client.confirmPassword({ tokenHash: tokenHash(user.token), password: PASSWORD }, asUser());
      expect(await codeOf(identity.renameLegalEntity(unknown, asUser()))).toBe("legal_entity_not_found");
      expect(await codeOf(identity.updateTenant({ tenantId, name: "" }, asUser()))).toBe("invalid_request");
      await identity.updateTenant({ tenantId, name: "Test", maxInstallments: 21 }, asUser());
      await identity.revokeApiKey({ id }, asUser());
      await users.client.changeMemberRole({ tenantId, userId: user.id, role: Role.OWNER }, asUser());
      expect(await codeOf(users.client.removeMember({ tenantId, userId: user.id }, asUser()))).toBe(
        "last_owner",
      );
    });
    expect(written).toEqual([]);
  });

  test("an endpoint that is saved without a change", async () => {
    const { webhooks } = merchant;
    const given = { url: HOOK, eventTypes: { values: ["payment.failed", "link.expired"] } };
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
    await makeOwner(rows, tenantId);
    const key = await identity.createApiKey({ tenantId, mode: Mode.TEST }, asUser());
    expect(await xmins("identity.api_key", key.id)).toBe(1);
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url: HOOK }, asUser(merchant.as));
    expect(await xmins("test.webhook_endpoint", endpoint?.id ?? "")).toBe(1);
  });

  test("are written both or neither", async () => {
    await makeOwner(rows, tenantId);
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
    await expect(identity.createApiKey({ tenantId, mode: Mode.TEST }, asUser())).rejects.toThrow(
      "internal error",
    );
    await expect(users.client.removeMember({ tenantId, userId: user.id }, asUser())).rejects.toThrow(
      "internal error",
    );
    await expect(merchant.webhooks.createWebhookEndpoint({ url: HOOK }, asUser(merchant.as))).rejects.toThrow(
      "internal error",
    );
    expect(await counts()).toEqual(before);
    expect(service.faults.splice(0)).toHaveLength(3);
    await rows.run("ALTER TABLE identity.audit_entry DROP CONSTRAINT broken");
    await identity.createApiKey({ tenantId, mode: Mode.TEST }, asUser());
    expect(await counts()).toEqual([(before[0] ?? 0) + 1, ...before.slice(1)]);
  });
});

test.each([
  ["UPDATE", "UPDATE identity.audit_entry SET action = action WHERE tenant_id = $1"],
  ["DELETE", "DELETE FROM identity.audit_entry WHERE tenant_id = $1"],
])("%s of an entry is refused", async (_, sql) => {
  expect((await auditEntries(service, tenantId)).length).toBeGreaterThan(0);
  await expect(rows.run(sql, [tenantId])).rejects.toThrow("audit_entry is append-only");
});

test("TRUNCATE is refused", async () => {
  await expect(rows.run("TRUNCATE identity.audit_entry CASCADE")).rejects.toThrow(
    "audit_entry is append-only",
  );
});
