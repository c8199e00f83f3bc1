import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { PASSWORD, Users, tokenHash, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const NEW_PASSWORD = "another horse battery staple";

const service = await forFile(startService());
const users = new Users(service);
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await service.createTenant();
});

describe("an address that another user took", () => {
  const OWN = "the real owner's own password";
  let squatter: TestUser;
  let other: TestTenant;
  let owner: TestUser;
  beforeEach(async () => {
    squatter = await users.join(tenant.id);
    other = await service.createTenant();
    owner = await users.joinAnew(other.id, squatter.email, OWN);
  });
  const signIn = async (user: TestUser, password: string) =>
    (await users.sessionOf(await users.signIn(user, { password }))).session;

  test("gets an account of its own by the invitation alone, and each sees its own tenant", async () => {
    expect(owner.id).not.toBe(squatter.id);
    expect((await users.sessionOf(owner.token)).session?.memberships).toMatchObject([{ tenantId: other.id }]);
    expect(await signIn(owner, OWN)).toMatchObject({
      user: { id: owner.id },
      memberships: [{ tenantId: other.id }],
    });
    expect(await signIn(squatter, PASSWORD)).toMatchObject({
      user: { id: squatter.id },
      memberships: [{ tenantId: tenant.id }],
    });
    const into = { tokenHash: tokenHash(squatter.token), tenantId: other.id };
    expect(await codeOf(users.client.switchTenant(into, users.internal))).toBe("tenant_not_found");
    const { members } = await users.client.listMembers({ tenantId: other.id }, users.internal);
    expect(members.map(({ userId }) => userId)).toEqual([owner.id]);
  });

  test("mixes no password with a code of another account", async () => {
    const mixed = { ...owner, secret: squatter.secret };
    expect(await codeOf(users.signIn(mixed, { password: OWN }))).toBe("sign_in_refused");
    const third = await service.createTenant();
    const token = await users.invite(third.id, Role.VIEWER, owner.email);
    const code = () => users.nextCode(squatter.secret);
    expect(await codeOf(users.accept(token, { code: code(), password: OWN }))).toBe("sign_in_refused");
    expect(await codeOf(users.accept(token, { code: users.nextCode(owner.secret), password: OWN }))).toBe(
      "ok",
    );
    expect((await signIn(owner, OWN))?.memberships).toHaveLength(2);
    expect((await signIn(squatter, PASSWORD))?.memberships).toHaveLength(1);
  });

  test("distinguishes accounts of one password by their codes", async () => {
    const third = await service.createTenant();
    const same = await users.joinAnew(third.id, squatter.email);
    expect((await signIn(same, PASSWORD))?.user?.id).toBe(same.id);
    expect((await signIn(squatter, PASSWORD))?.user?.id).toBe(squatter.id);
  });

  test("is not locked out by resets, changes and sign-outs of the other", async () => {
    const { token } = await users.client.resetUser(
      { tenantId: tenant.id, userId: squatter.id },
      users.internal,
    );
    expect((await users.invitation(token)).isReset).toBe(true);
    const { sessionToken } = await users.acceptNow(token, { password: NEW_PASSWORD });
    const own = { tokenHash: tokenHash(sessionToken) };
    const change = { ...own, password: NEW_PASSWORD, newPassword: "squatted once more" };
    await users.client.changePassword(change, users.internal);
    await users.client.signOutEverywhere(own, users.internal);
    expect(await codeOf(users.sessionOf(owner.token))).toBe("ok");
    expect((await signIn(owner, OWN))?.user?.id).toBe(owner.id);
    expect(await codeOf(signIn(owner, "squatted once more"))).toBe("sign_in_refused");
    const ofOther = { tenantId: tenant.id, userId: owner.id };
    expect(await codeOf(users.client.resetUser(ofOther, users.internal))).toBe("member_not_found");
  });

  test("costs one slow hash for any number of accounts", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const change = { tokenHash: tokenHash(owner.token), password: OWN, newPassword: NEW_PASSWORD };
    await users.client.changePassword(change, users.internal);
    const found = await rows.read(
      `SELECT DISTINCT split_part(password_hash, '$', 5) AS salt FROM identity."user" WHERE email = $1`,
      [owner.email],
    );
    expect(found).toHaveLength(1);
    await rows.close();
  });

  test("is no way around the waits by a browser that the other account knows", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const squatters = { email: squatter.email, password: PASSWORD, code: users.nextCode(squatter.secret) };
    const { browserToken } = await users.client.signIn(squatters, users.internal);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 500, allowed_at = $1", [
      service.clock.nowMs() + 100_000,
    ]);
    const tried = { browserTokenHash: tokenHash(browserToken), email: owner.email };
    const right = { ...tried, password: OWN, code: users.nextCode(owner.secret) };
    expect(await codeOf(users.client.signIn(right, users.internal))).toBe("sign_in_refused");
    const own = { ...tried, password: PASSWORD, code: users.codeOf(squatter.secret) };
    expect(await codeOf(users.client.signIn(own, users.internal))).toBe("ok");
    await rows.close();
  });

  test("is a member's once only in a tenant", async () => {
    expect(await codeOf(users.invite(other.id, Role.VIEWER, owner.email))).toBe("user_exists");
    expect(await codeOf(users.invite(tenant.id, Role.VIEWER, owner.email))).toBe("user_exists");
  });
});
