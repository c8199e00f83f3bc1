import { createClient } from "@connectrpc/connect";
import { afterAll, beforeEach, expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { asUser } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { PASSWORD, tokenHash, Users, type TestUser } from "../support/users.ts";

const service = await forFile(startService());
const users = new Users(service);
const rows = await new DatabaseRows(service.databaseUrl).open();
const ACCOUNT = `identity."user" WHERE id = $1`;
let tenantId: string;
let owner: TestUser;
beforeEach(async () => {
  tenantId = (await service.createTenant()).id;
  owner = await users.join(tenantId);
});
afterAll(async () => await rows.close());

const remove = async (userId: string, from = tenantId) =>
  await codeOf(users.client.removeMember({ tenantId: from, userId }, asUser(service.internal, owner)));

test("an account ends with its last membership, with all that refers to it", async () => {
  const other = await service.createTenant();
  const user = await users.join(tenantId, Role.VIEWER);
  await users.joinAlso(user, other.id);
  await users.join(other.id);
  await users.client.resetUser({ tenantId, userId: user.id, isOperator: true }, users.internal);
  expect(await remove(user.id)).toBe("ok");
  expect(await rows.count(ACCOUNT, [user.id])).toBe(1);
  expect(await codeOf(users.signIn(user))).toBe("ok");
  expect(await remove(user.id, other.id)).toBe("ok");
  expect(await rows.count(ACCOUNT, [user.id])).toBe(0);
  for (const table of ["session", "known_browser", "invitation"]) {
    expect(await rows.count(`identity.${table} WHERE user_id = $1`, [user.id])).toBe(0);
  }
  expect(await codeOf(users.signIn(user))).toBe("sign_in_refused");
});

test("an address that is invited and removed again and again has no accounts left, and a readable audit log", async () => {
  const email = users.newEmail();
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    const { id } = await users.join(tenantId, Role.VIEWER, email);
    ids.push(id);
    expect(await remove(id)).toBe("ok");
  }
  expect(await rows.count(`identity."user" WHERE email = $1`, [email])).toBe(0);
  const audit = createClient(AuditLogService, service.core.transport);
  const { entries } = await audit.listAuditEntries({ tenantId, limit: 50 }, service.internal);
  const removals = entries.filter(({ action }) => action === "RemoveMember");
  expect(removals.map(({ objectId }) => objectId)).toEqual(ids.toReversed());
  const joins = entries.filter(
    ({ action, actorName }) => action === "AcceptInvitation" && actorName === email,
  );
  expect(joins.map(({ objectId }) => objectId)).toEqual(ids.toReversed());
});

test("accounts that an earlier release left without a tenant are removed, and no others", async () => {
  const user = await users.join(tenantId, Role.VIEWER);
  await rows.run("DELETE FROM identity.membership WHERE user_id = $1", [user.id]);
  await service.core.tasks.removePast();
  expect(await rows.count(ACCOUNT, [user.id])).toBe(0);
  expect(await rows.count(ACCOUNT, [owner.id])).toBe(1);
  expect(await codeOf(users.sessionOf(owner.token))).toBe("ok");
});

test("of a removal and a join at the same time each keeps its promise", async () => {
  for (let round = 0; round < 8; round++) {
    const other = await service.createTenant();
    const user = await users.join(tenantId, Role.VIEWER);
    const invited = await users.invite(other.id, Role.VIEWER, user.email);
    const change = { tokenHash: tokenHash(user.token), password: PASSWORD, newPassword: `${PASSWORD} 2` };
    const [removed, changed, joined] = await Promise.all([
      remove(user.id),
      codeOf(users.client.changePassword(change, users.internal)),
      codeOf(users.accept(invited, { code: users.nextCode(user.secret) })),
    ]);
    expect(removed).toBe("ok");
    expect(["ok", "invalid_session", "password_refused"]).toContain(changed);
    // Without its account, the link is for a new one, whose code is another.
    expect(["ok", "sign_in_refused", "code_refused"]).toContain(joined);
    expect(await rows.count(ACCOUNT, [user.id])).toBe(joined === "ok" ? 1 : 0);
  }
});

test("one-time links that ended or expired are removed, and open ones are not", async () => {
  const { invitationId: id } = await users.client.inviteUser(
    { tenantId, email: users.newEmail(), role: Role.VIEWER },
    users.internal,
  );
  await users.client.revokeInvitation({ tenantId, id }, users.internal);
  const open = await users.invite(tenantId, Role.VIEWER);
  await service.core.tasks.removePast();
  expect(await rows.count("identity.invitation WHERE tenant_id = $1", [tenantId])).toBe(1);
  expect(await codeOf(users.invitation(open))).toBe("ok");
  service.clock.advance(7 * 86_400 + 1);
  await service.core.tasks.removePast();
  expect(await rows.count("identity.invitation WHERE tenant_id = $1", [tenantId])).toBe(0);
});

test("an attempt that must wait is refused before the address's accounts are read", async () => {
  const attempt = async () =>
    await codeOf(
      users.client.signIn({ email: owner.email, password: "wrong", code: "000000" }, users.internal),
    );
  expect(await attempt()).toBe("sign_in_refused");
  await rows.run("UPDATE identity.sign_in_attempt SET points = 500, allowed_at = $1", [
    service.clock.nowMs() + 100_000,
  ]);
  // Accounts cannot be read now.
  await rows.run("ALTER TABLE identity.membership RENAME TO hidden");
  expect(await attempt()).toBe("too_many_attempts");
  await rows.run("ALTER TABLE identity.hidden RENAME TO membership");
});
