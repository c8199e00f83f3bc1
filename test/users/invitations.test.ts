import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { PASSWORD, People, tokenHash, type Person } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const DAY_SECONDS = 86_400;
const NEW_PASSWORD = "another horse battery staple";

let service: TestService;
let people: People;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
  people = new People(service);
});
beforeEach(async () => {
  tenant = await service.createTenant();
});
afterAll(async () => {
  await service.close();
});

const get = async (token: string) =>
  await people.users.getInvitation({ tokenHash: tokenHash(token) }, people.internal);
const accept = async (token: string, given: object = {}) =>
  await people.users.acceptInvitation(
    { tokenHash: tokenHash(token), name: "Ana", password: PASSWORD, ...given },
    people.internal,
  );
const acceptNow = async (token: string, given: object = {}) =>
  await accept(token, { code: people.codeOf((await get(token)).totpSecret ?? ""), ...given });

describe("an invitation", () => {
  test("tells what it is for, and makes somebody new a member who is signed in", async () => {
    const email = people.newEmail();
    const token = await people.invite(tenant.id, Role.FINANCE, email.toUpperCase());
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
    expect((await people.sessionOf(sessionToken)).session).toMatchObject({
      user: { email, name: "Ana de Ávila" },
      membership: { tenantId: tenant.id, role: Role.FINANCE },
    });
  });

  test("lasts seven days", async () => {
    const token = await people.invite(tenant.id, Role.VIEWER);
    service.clock.advance(7 * DAY_SECONDS - 5);
    expect(await codeOf(get(token))).toBe("ok");
    service.clock.advance(5);
    expect(await codeOf(get(token))).toBe("invitation_not_found");
  });

  test("works once, and for one of those who use it at once", async () => {
    const token = await people.invite(tenant.id, Role.VIEWER);
    const code = people.codeOf((await get(token)).totpSecret ?? "");
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(accept(token, { code }))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["ok", "invitation_not_found"]));
    expect(await codeOf(get(token))).toBe("invitation_not_found");
    expect((await people.users.listMembers({ tenantId: tenant.id }, people.internal)).members).toHaveLength(
      1,
    );
  });

  test("is replaced by a new one for the same address, and of several at once one stays", async () => {
    const email = people.newEmail();
    const first = await people.invite(tenant.id, Role.VIEWER, email);
    const later = await Promise.all([1, 2, 3].map(() => people.invite(tenant.id, Role.OWNER, email)));
    const outcomes = await Promise.all([first, ...later].map((token) => codeOf(get(token))));
    expect(outcomes[0]).toBe("invitation_not_found");
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    const { invitations } = await people.users.listMembers({ tenantId: tenant.id }, people.internal);
    expect(invitations).toMatchObject([{ email, role: Role.OWNER }]);
  });

  test("ends when it is revoked, by its own tenant alone", async () => {
    const token = await people.invite(tenant.id, Role.VIEWER);
    const { invitations } = await people.users.listMembers({ tenantId: tenant.id }, people.internal);
    const id = invitations[0]?.id ?? "";
    const other = await service.createTenant();
    const revoke = (tenantId: string) =>
      codeOf(people.users.revokeInvitation({ tenantId, id }, people.internal));
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
    const token = await people.invite(tenant.id, Role.VIEWER);
    expect(await codeOf(acceptNow(token, given))).toBe(code);
    expect(await codeOf(acceptNow(token))).toBe("ok");
  });

  test("refuses the address as password, in any spelling of it", async () => {
    const token = await people.invite(tenant.id, Role.VIEWER, "ana.maria.souza@example.test");
    const spelled = "Ana.Maria.Souza@ｅxample.test";
    expect(await codeOf(acceptNow(token, { password: spelled }))).toBe("invalid_request");
  });

  test("is refused to a member, and to an unknown tenant", async () => {
    const { email } = await people.join(tenant.id);
    expect(await codeOf(people.invite(tenant.id, Role.OWNER, email.toUpperCase()))).toBe("user_exists");
    expect(await codeOf(people.invite("ten_unknown", Role.OWNER))).toBe("tenant_not_found");
  });

  test("asks who has an account for its password and code, and changes neither", async () => {
    const person = await people.join(tenant.id);
    const other = await service.createTenant();
    const token = await people.invite(other.id, Role.DEVELOPER, person.email);
    const offer = await get(token);
    expect(offer).toMatchObject({ hasAccount: true, isReset: false });
    expect([offer.totpSecret, offer.totpUri]).toEqual([undefined, undefined]);
    const code = () => people.nextCode(person.secret);
    expect(await codeOf(accept(token, { code: code(), password: NEW_PASSWORD }))).toBe("sign_in_refused");
    expect(await codeOf(accept(token, { code: "000000" }))).toBe("sign_in_refused");
    const { sessionToken } = await accept(token, { code: code(), name: "Somebody else" });
    expect((await people.sessionOf(sessionToken)).session).toMatchObject({
      user: { id: person.id, name: person.name },
      membership: { tenantId: other.id, role: Role.DEVELOPER },
      memberships: [{}, {}],
    });
    expect(await codeOf(people.signIn(person))).toBe("ok");
  });

  test("of two tenants for one new address: the second asks for the account that the first made", async () => {
    const email = people.newEmail();
    const other = await service.createTenant();
    const [first, second] = [
      await people.invite(tenant.id, Role.OWNER, email),
      await people.invite(other.id, Role.OWNER, email),
    ];
    const { totpSecret: secret = "" } = await get(first);
    await acceptNow(first);
    expect(await codeOf(accept(second, { password: NEW_PASSWORD, code: people.nextCode(secret) }))).toBe(
      "sign_in_refused",
    );
    expect(await codeOf(accept(second, { code: people.nextCode(secret) }))).toBe("ok");
  });
});

describe("an address that somebody else took", () => {
  const OWN = "the real owner's own password";
  let squatter: Person;
  let other: TestTenant;
  let owner: Person;
  beforeEach(async () => {
    squatter = await people.join(tenant.id);
    other = await service.createTenant();
    owner = await people.joinAnew(other.id, squatter.email, OWN);
  });
  const signIn = async (person: Person, password: string) =>
    (await people.sessionOf(await people.signIn(person, { password }))).session;

  test("gets an account of its own by the invitation alone, and each sees its own tenant", async () => {
    expect(owner.id).not.toBe(squatter.id);
    expect((await people.sessionOf(owner.token)).session?.memberships).toMatchObject([
      { tenantId: other.id },
    ]);
    expect(await signIn(owner, OWN)).toMatchObject({
      user: { id: owner.id },
      memberships: [{ tenantId: other.id }],
    });
    expect(await signIn(squatter, PASSWORD)).toMatchObject({
      user: { id: squatter.id },
      memberships: [{ tenantId: tenant.id }],
    });
    const into = { tokenHash: tokenHash(squatter.token), tenantId: other.id };
    expect(await codeOf(people.users.switchTenant(into, people.internal))).toBe("tenant_not_found");
    const { members } = await people.users.listMembers({ tenantId: other.id }, people.internal);
    expect(members.map(({ userId }) => userId)).toEqual([owner.id]);
  });

  test("mixes no password with a code of another account", async () => {
    const mixed = { ...owner, secret: squatter.secret };
    expect(await codeOf(people.signIn(mixed, { password: OWN }))).toBe("sign_in_refused");
    const third = await service.createTenant();
    const token = await people.invite(third.id, Role.VIEWER, owner.email);
    const code = () => people.nextCode(squatter.secret);
    expect(await codeOf(accept(token, { code: code(), password: OWN }))).toBe("sign_in_refused");
    expect(await codeOf(accept(token, { code: people.nextCode(owner.secret), password: OWN }))).toBe("ok");
    expect((await signIn(owner, OWN))?.memberships).toHaveLength(2);
    expect((await signIn(squatter, PASSWORD))?.memberships).toHaveLength(1);
  });

  test("tells accounts of one password apart by their codes", async () => {
    const third = await service.createTenant();
    const same = await people.joinAnew(third.id, squatter.email);
    expect((await signIn(same, PASSWORD))?.user?.id).toBe(same.id);
    expect((await signIn(squatter, PASSWORD))?.user?.id).toBe(squatter.id);
  });

  test("is not locked out by resets, changes and sign-outs of the other", async () => {
    const { token } = await people.users.resetUser(
      { tenantId: tenant.id, userId: squatter.id },
      people.internal,
    );
    expect((await get(token)).isReset).toBe(true);
    const { sessionToken } = await acceptNow(token, { password: NEW_PASSWORD });
    const own = { tokenHash: tokenHash(sessionToken) };
    const change = { ...own, password: NEW_PASSWORD, newPassword: "squatted once more" };
    await people.users.changePassword(change, people.internal);
    await people.users.signOutEverywhere(own, people.internal);
    expect(await codeOf(people.sessionOf(owner.token))).toBe("ok");
    expect((await signIn(owner, OWN))?.user?.id).toBe(owner.id);
    expect(await codeOf(signIn(owner, "squatted once more"))).toBe("sign_in_refused");
    const ofOther = { tenantId: tenant.id, userId: owner.id };
    expect(await codeOf(people.users.resetUser(ofOther, people.internal))).toBe("member_not_found");
  });

  test("costs one slow hash, whatever the number of accounts", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const change = { tokenHash: tokenHash(owner.token), password: OWN, newPassword: NEW_PASSWORD };
    await people.users.changePassword(change, people.internal);
    const found = await rows.read(
      `SELECT DISTINCT split_part(password_hash, '$', 5) AS salt FROM identity."user" WHERE email = $1`,
      [owner.email],
    );
    expect(found).toHaveLength(1);
    await rows.close();
  });

  test("is no way around the waits by a browser that the other account knows", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const squatters = { email: squatter.email, password: PASSWORD, code: people.nextCode(squatter.secret) };
    const { browserToken } = await people.users.signIn(squatters, people.internal);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 500, allowed_at = $1", [
      service.clock.nowMs() + 100_000,
    ]);
    const tried = { browserTokenHash: tokenHash(browserToken), email: owner.email };
    const right = { ...tried, password: OWN, code: people.nextCode(owner.secret) };
    expect(await codeOf(people.users.signIn(right, people.internal))).toBe("sign_in_refused");
    const own = { ...tried, password: PASSWORD, code: people.codeOf(squatter.secret) };
    expect(await codeOf(people.users.signIn(own, people.internal))).toBe("ok");
    await rows.close();
  });

  test("is a member's once only in a tenant", async () => {
    expect(await codeOf(people.invite(other.id, Role.VIEWER, owner.email))).toBe("user_exists");
    expect(await codeOf(people.invite(tenant.id, Role.VIEWER, owner.email))).toBe("user_exists");
  });
});

describe("a reset", () => {
  const reset = async (userId: string, isOperator = false) =>
    (await people.users.resetUser({ tenantId: tenant.id, userId, isOperator }, people.internal)).token;

  test("sets a new password and secret, and ends all sessions before", async () => {
    const person = await people.join(tenant.id, Role.FINANCE);
    const token = await reset(person.id);
    const offer = await get(token);
    expect(offer).toMatchObject({ isReset: true, hasAccount: true, role: Role.FINANCE, email: person.email });
    expect(offer.totpSecret).not.toBe(person.secret);
    expect(await codeOf(people.sessionOf(person.token))).toBe("ok");
    const { sessionToken } = await acceptNow(token, { password: NEW_PASSWORD });
    expect(await codeOf(people.sessionOf(person.token))).toBe("invalid_session");
    expect((await people.sessionOf(sessionToken)).session).toMatchObject({
      user: { id: person.id, name: person.name },
      membership: { role: Role.FINANCE },
    });
    expect(await codeOf(people.signIn(person))).toBe("sign_in_refused");
    const renewed = { ...person, secret: offer.totpSecret ?? "" };
    expect(await codeOf(people.signIn(renewed))).toBe("sign_in_refused");
    expect(await codeOf(people.signIn(renewed, { password: NEW_PASSWORD }))).toBe("ok");
    expect(await codeOf(get(token))).toBe("invitation_not_found");
  });

  test("is no open invitation, and ends with the membership", async () => {
    const person = await people.join(tenant.id);
    const member = await people.join(tenant.id, Role.VIEWER);
    const token = await reset(member.id);
    const { invitations } = await people.users.listMembers({ tenantId: tenant.id }, people.internal);
    expect(invitations).toEqual([]);
    await people.users.removeMember({ tenantId: tenant.id, userId: member.id }, people.internal);
    expect(await codeOf(get(token))).toBe("invitation_not_found");
    expect(await codeOf(reset(member.id))).toBe("member_not_found");
    expect(person.id).not.toBe(member.id);
  });

  test("of a person of other tenants too is the operator's alone", async () => {
    const person = await people.join(tenant.id);
    const early = await reset(person.id);
    await people.joinAlso(person, (await service.createTenant()).id);
    expect(await codeOf(reset(person.id))).toBe("reset_not_allowed");
    // Made while they belonged to this tenant alone.
    expect(await codeOf(get(early))).toBe("invitation_not_found");
    const token = await reset(person.id, true);
    expect(await codeOf(acceptNow(token, { password: NEW_PASSWORD }))).toBe("ok");
  });

  test("is of members only", async () => {
    const stranger = await people.join((await service.createTenant()).id);
    expect(await codeOf(reset(stranger.id))).toBe("member_not_found");
    expect(await codeOf(reset("usr_unknown"))).toBe("member_not_found");
  });
});

test("of a link nothing is kept that opens it", async () => {
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const token = await people.invite(tenant.id, Role.VIEWER);
  const { totpSecret } = await get(token);
  for (const secret of [token, totpSecret]) {
    expect(await rows.count("identity.invitation i WHERE i::text LIKE '%' || $1 || '%'", [secret])).toBe(0);
  }
  expect(await rows.count("identity.invitation WHERE tenant_id = $1", [tenant.id])).toBe(1);
  await rows.close();
});
