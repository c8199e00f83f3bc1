import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { PASSWORD, Users, tokenHash, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const DAY_SECONDS = 86_400;
const NEW_PASSWORD = "another horse battery staple";

let service: TestService;
let users: Users;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
  users = new Users(service);
});
beforeEach(async () => {
  tenant = await service.createTenant();
});
afterAll(async () => {
  await service.close();
});

const get = async (token: string) =>
  await users.client.getInvitation({ tokenHash: tokenHash(token) }, users.internal);
const accept = async (token: string, given: object = {}) =>
  await users.client.acceptInvitation(
    { tokenHash: tokenHash(token), name: "Ana", password: PASSWORD, ...given },
    users.internal,
  );
const acceptNow = async (token: string, given: object = {}) =>
  await accept(token, { code: users.codeOf((await get(token)).totpSecret ?? ""), ...given });

describe("an invitation", () => {
  test("shows what it is for, and makes a new user a member who is signed in", async () => {
    const email = users.newEmail();
    const token = await users.invite(tenant.id, Role.FINANCE, email.toUpperCase());
    const offer = await get(token);
    expect(offer).toMatchObject({
      tenantName: "Test",
      email,
      role: Role.FINANCE,
      hasAccount: false,
      isReset: false,
    });
    expect(offer.totpUri).toBe(
      `otpauth://totp/paylink:${encodeURIComponent(email)}?issuer=paylink&secret=${offer.totpSecret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect((await get(token)).totpSecret).toBe(offer.totpSecret);
    const { sessionToken } = await acceptNow(token, { name: "  Ana de Ávila " });
    expect((await users.sessionOf(sessionToken)).session).toMatchObject({
      user: { email, name: "Ana de Ávila" },
      membership: { tenantId: tenant.id, role: Role.FINANCE },
    });
  });

  test("lasts seven days", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    service.clock.advance(7 * DAY_SECONDS - 5);
    expect(await codeOf(get(token))).toBe("ok");
    service.clock.advance(5);
    expect(await codeOf(get(token))).toBe("invitation_not_found");
  });

  test("works once, and for one of those who use it at once", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    const code = users.codeOf((await get(token)).totpSecret ?? "");
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(accept(token, { code }))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["ok", "invitation_not_found"]));
    expect(await codeOf(get(token))).toBe("invitation_not_found");
    expect((await users.client.listMembers({ tenantId: tenant.id }, users.internal)).members).toHaveLength(1);
  });

  test("is replaced by a new one for the same address, and of several at once one stays", async () => {
    const email = users.newEmail();
    const first = await users.invite(tenant.id, Role.VIEWER, email);
    const later = await Promise.all([1, 2, 3].map(() => users.invite(tenant.id, Role.OWNER, email)));
    const outcomes = await Promise.all([first, ...later].map((token) => codeOf(get(token))));
    expect(outcomes[0]).toBe("invitation_not_found");
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    const { invitations } = await users.client.listMembers({ tenantId: tenant.id }, users.internal);
    expect(invitations).toMatchObject([{ email, role: Role.OWNER }]);
  });

  test("ends when it is revoked, by its own tenant alone", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    const { invitations } = await users.client.listMembers({ tenantId: tenant.id }, users.internal);
    const id = invitations[0]?.id ?? "";
    const other = await service.createTenant();
    const revoke = (tenantId: string) =>
      codeOf(users.client.revokeInvitation({ tenantId, id }, users.internal));
    expect(await revoke(other.id)).toBe("invitation_not_found");
    expect(await codeOf(get(token))).toBe("ok");
    expect(await revoke(tenant.id)).toBe("ok");
    expect(await codeOf(get(token))).toBe("invitation_not_found");
    expect(await revoke(tenant.id)).toBe("invitation_not_found");
  });

  test.each([
    ["a short password", { password: "eleven char" }, "invalid_request"],
    ["a password of 11 characters that are 22 code units", { password: "😀".repeat(11) }, "invalid_request"],
    ["no name", { name: "   " }, "invalid_request"],
    ["a wrong code", { code: "000000" }, "code_refused"],
    ["no code", { code: "" }, "code_refused"],
  ])("with %s is refused, and stays good", async (_, given, code) => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    expect(await codeOf(acceptNow(token, given))).toBe(code);
    expect(await codeOf(acceptNow(token))).toBe("ok");
  });

  test("refuses the address as password, in any spelling of it", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER, "ana.maria.souza@example.test");
    const spelled = "Ana.Maria.Souza@ｅxample.test";
    expect(await codeOf(acceptNow(token, { password: spelled }))).toBe("invalid_request");
  });

  test("is refused to a member, and to an unknown tenant", async () => {
    const { email } = await users.join(tenant.id);
    expect(await codeOf(users.invite(tenant.id, Role.OWNER, email.toUpperCase()))).toBe("user_exists");
    expect(await codeOf(users.invite("ten_unknown", Role.OWNER))).toBe("tenant_not_found");
  });

  test("asks who has an account for its password and code, and changes neither", async () => {
    const user = await users.join(tenant.id);
    const other = await service.createTenant();
    const token = await users.invite(other.id, Role.DEVELOPER, user.email);
    const offer = await get(token);
    expect(offer).toMatchObject({ hasAccount: true, isReset: false });
    expect([offer.totpSecret, offer.totpUri]).toEqual([undefined, undefined]);
    const code = () => users.nextCode(user.secret);
    expect(await codeOf(accept(token, { code: code(), password: NEW_PASSWORD }))).toBe("sign_in_refused");
    expect(await codeOf(accept(token, { code: "000000" }))).toBe("sign_in_refused");
    const { sessionToken } = await accept(token, { code: code(), name: "Somebody else" });
    expect((await users.sessionOf(sessionToken)).session).toMatchObject({
      user: { id: user.id, name: user.name },
      membership: { tenantId: other.id, role: Role.DEVELOPER },
      memberships: [{}, {}],
    });
    expect(await codeOf(users.signIn(user))).toBe("ok");
  });

  test("of two tenants for one new address: the second asks for the account that the first made", async () => {
    const email = users.newEmail();
    const other = await service.createTenant();
    const [first, second] = [
      await users.invite(tenant.id, Role.OWNER, email),
      await users.invite(other.id, Role.OWNER, email),
    ];
    const { totpSecret: secret = "" } = await get(first);
    await acceptNow(first);
    expect(await codeOf(accept(second, { password: NEW_PASSWORD, code: users.nextCode(secret) }))).toBe(
      "sign_in_refused",
    );
    expect(await codeOf(accept(second, { code: users.nextCode(secret) }))).toBe("ok");
  });
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
    expect(await codeOf(accept(token, { code: code(), password: OWN }))).toBe("sign_in_refused");
    expect(await codeOf(accept(token, { code: users.nextCode(owner.secret), password: OWN }))).toBe("ok");
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
    expect((await get(token)).isReset).toBe(true);
    const { sessionToken } = await acceptNow(token, { password: NEW_PASSWORD });
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

describe("a reset", () => {
  const reset = async (userId: string, isOperator = false) =>
    (await users.client.resetUser({ tenantId: tenant.id, userId, isOperator }, users.internal)).token;

  test("sets a new password and secret, and ends all sessions before", async () => {
    const user = await users.join(tenant.id, Role.FINANCE);
    const token = await reset(user.id);
    const offer = await get(token);
    expect(offer).toMatchObject({ isReset: true, hasAccount: true, role: Role.FINANCE, email: user.email });
    expect(offer.totpSecret).not.toBe(user.secret);
    expect(await codeOf(users.sessionOf(user.token))).toBe("ok");
    const { sessionToken } = await acceptNow(token, { password: NEW_PASSWORD });
    expect(await codeOf(users.sessionOf(user.token))).toBe("invalid_session");
    expect((await users.sessionOf(sessionToken)).session).toMatchObject({
      user: { id: user.id, name: user.name },
      membership: { role: Role.FINANCE },
    });
    expect(await codeOf(users.signIn(user))).toBe("sign_in_refused");
    const renewed = { ...user, secret: offer.totpSecret ?? "" };
    expect(await codeOf(users.signIn(renewed))).toBe("sign_in_refused");
    expect(await codeOf(users.signIn(renewed, { password: NEW_PASSWORD }))).toBe("ok");
    expect(await codeOf(get(token))).toBe("invitation_not_found");
  });

  test("is listed with its member, and ends with the membership", async () => {
    const user = await users.join(tenant.id);
    const member = await users.join(tenant.id, Role.VIEWER);
    const token = await reset(member.id);
    const { invitations } = await users.client.listMembers({ tenantId: tenant.id }, users.internal);
    expect(invitations).toMatchObject([{ userId: member.id }]);
    await users.client.removeMember({ tenantId: tenant.id, userId: member.id }, users.internal);
    expect(await codeOf(get(token))).toBe("invitation_not_found");
    expect(await codeOf(reset(member.id))).toBe("member_not_found");
    expect(user.id).not.toBe(member.id);
  });

  test("of a user of other tenants too is allowed to the operator alone", async () => {
    const user = await users.join(tenant.id);
    const early = await reset(user.id);
    await users.joinAlso(user, (await service.createTenant()).id);
    expect(await codeOf(reset(user.id))).toBe("reset_not_allowed");
    // Made while they belonged to this tenant alone.
    expect(await codeOf(get(early))).toBe("invitation_not_found");
    const token = await reset(user.id, true);
    expect(await codeOf(acceptNow(token, { password: NEW_PASSWORD }))).toBe("ok");
  });

  test("is of members only", async () => {
    const stranger = await users.join((await service.createTenant()).id);
    expect(await codeOf(reset(stranger.id))).toBe("member_not_found");
    expect(await codeOf(reset("usr_unknown"))).toBe("member_not_found");
  });
});

test("of a link nothing is kept that opens it", async () => {
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const token = await users.invite(tenant.id, Role.VIEWER);
  const { totpSecret } = await get(token);
  for (const secret of [token, totpSecret]) {
    expect(await rows.count("identity.invitation i WHERE i::text LIKE '%' || $1 || '%'", [secret])).toBe(0);
  }
  expect(await rows.count("identity.invitation WHERE tenant_id = $1", [tenant.id])).toBe(1);
  await rows.close();
});
