import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { CHECKOUT_BASE } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { Users } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const DAY_SECONDS = 86_400;
const NEW_PASSWORD = "another horse battery staple";

const service = await forFile(startService());
const users = new Users(service);
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await service.createTenant();
});

test("the links of an invitation and of a reset are at the console's public address", async () => {
  const user = await users.join(tenant.id, Role.FINANCE);
  const request = { tenantId: tenant.id, email: users.newEmail(), role: Role.FINANCE };
  const invited = await users.client.inviteUser(request, users.internal);
  const reset = await users.client.resetUser({ tenantId: tenant.id, userId: user.id }, users.internal);
  for (const { url, token } of [invited, reset])
    expect(url).toBe(`${CHECKOUT_BASE}/console/invitations/${token}`);
});

describe("an invitation", () => {
  test("shows what it is for, and makes a new user a member who is signed in", async () => {
    const email = users.newEmail();
    const token = await users.invite(tenant.id, Role.FINANCE, email.toUpperCase());
    const offer = await users.invitation(token);
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
    expect((await users.invitation(token)).totpSecret).toBe(offer.totpSecret);
    const { sessionToken } = await users.acceptNow(token, { name: "  Ana de Ávila " });
    expect((await users.sessionOf(sessionToken)).session).toMatchObject({
      user: { email, name: "Ana de Ávila" },
      membership: { tenantId: tenant.id, role: Role.FINANCE },
    });
  });

  test("lasts seven days", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    service.clock.advance(7 * DAY_SECONDS - 5);
    expect(await codeOf(users.invitation(token))).toBe("ok");
    service.clock.advance(5);
    expect(await codeOf(users.invitation(token))).toBe("invitation_not_found");
  });

  test("works once, and for one of those who use it at once", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    const code = users.codeOf((await users.invitation(token)).totpSecret ?? "");
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(users.accept(token, { code }))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["ok", "invitation_not_found"]));
    expect(await codeOf(users.invitation(token))).toBe("invitation_not_found");
    expect((await users.client.listMembers({ tenantId: tenant.id }, users.internal)).members).toHaveLength(1);
  });

  test("is replaced by a new one for the same address, and of several at once one stays", async () => {
    const email = users.newEmail();
    const first = await users.invite(tenant.id, Role.VIEWER, email);
    const later = await Promise.all([1, 2, 3].map(() => users.invite(tenant.id, Role.OWNER, email)));
    const outcomes = await Promise.all([first, ...later].map((token) => codeOf(users.invitation(token))));
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
    expect(await codeOf(users.invitation(token))).toBe("ok");
    expect(await revoke(tenant.id)).toBe("ok");
    expect(await codeOf(users.invitation(token))).toBe("invitation_not_found");
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
    expect(await codeOf(users.acceptNow(token, given))).toBe(code);
    expect(await codeOf(users.acceptNow(token))).toBe("ok");
  });

  test("refuses the address as password, in any spelling of it", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER, "ana.maria.souza@example.test");
    const spelled = "Ana.Maria.Souza@ｅxample.test";
    expect(await codeOf(users.acceptNow(token, { password: spelled }))).toBe("invalid_request");
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
    const offer = await users.invitation(token);
    expect(offer).toMatchObject({ hasAccount: true, isReset: false });
    expect([offer.totpSecret, offer.totpUri]).toEqual([undefined, undefined]);
    const code = () => users.nextCode(user.secret);
    expect(await codeOf(users.accept(token, { code: code(), password: NEW_PASSWORD }))).toBe(
      "sign_in_refused",
    );
    expect(await codeOf(users.accept(token, { code: "000000" }))).toBe("sign_in_refused");
    const { sessionToken } = await users.accept(token, { code: code(), name: "Somebody else" });
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
    const { totpSecret: secret = "" } = await users.invitation(first);
    await users.acceptNow(first);
    expect(await codeOf(users.accept(second, { password: NEW_PASSWORD, code: users.nextCode(secret) }))).toBe(
      "sign_in_refused",
    );
    expect(await codeOf(users.accept(second, { code: users.nextCode(secret) }))).toBe("ok");
  });
});

test("of a link nothing is kept that opens it", async () => {
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const token = await users.invite(tenant.id, Role.VIEWER);
  const { totpSecret } = await users.invitation(token);
  for (const secret of [token, totpSecret]) {
    expect(await rows.count("identity.invitation i WHERE i::text LIKE '%' || $1 || '%'", [secret])).toBe(0);
  }
  expect(await rows.count("identity.invitation WHERE tenant_id = $1", [tenant.id])).toBe(1);
  await rows.close();
});
