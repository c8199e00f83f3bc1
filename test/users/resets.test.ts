import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { Users } from "../support/users.ts";
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

describe("a reset", () => {
  const reset = async (userId: string, isOperator = false) =>
    (await users.client.resetUser({ tenantId: tenant.id, userId, isOperator }, users.internal)).token;

  test("sets a new password and secret, and ends all sessions before", async () => {
    const user = await users.join(tenant.id, Role.FINANCE);
    const token = await reset(user.id);
    const offer = await users.invitation(token);
    expect(offer).toMatchObject({ isReset: true, hasAccount: true, role: Role.FINANCE, email: user.email });
    expect(offer.totpSecret).not.toBe(user.secret);
    expect(await codeOf(users.sessionOf(user.token))).toBe("ok");
    const { sessionToken } = await users.acceptNow(token, { password: NEW_PASSWORD });
    expect(await codeOf(users.sessionOf(user.token))).toBe("invalid_session");
    expect((await users.sessionOf(sessionToken)).session).toMatchObject({
      user: { id: user.id, name: user.name },
      membership: { role: Role.FINANCE },
    });
    expect(await codeOf(users.signIn(user))).toBe("sign_in_refused");
    const renewed = { ...user, secret: offer.totpSecret ?? "" };
    expect(await codeOf(users.signIn(renewed))).toBe("sign_in_refused");
    expect(await codeOf(users.signIn(renewed, { password: NEW_PASSWORD }))).toBe("ok");
    expect(await codeOf(users.invitation(token))).toBe("invitation_not_found");
  });

  test("is listed with its member, and ends with the membership", async () => {
    const user = await users.join(tenant.id);
    const member = await users.join(tenant.id, Role.VIEWER);
    const token = await reset(member.id);
    const { invitations } = await users.client.listMembers({ tenantId: tenant.id }, users.internal);
    expect(invitations).toMatchObject([{ userId: member.id }]);
    await users.client.removeMember({ tenantId: tenant.id, userId: member.id }, users.internal);
    expect(await codeOf(users.invitation(token))).toBe("invitation_not_found");
    expect(await codeOf(reset(member.id))).toBe("member_not_found");
    expect(user.id).not.toBe(member.id);
  });

  test("of a user of other tenants too is allowed to the operator alone", async () => {
    const user = await users.join(tenant.id);
    const early = await reset(user.id);
    await users.joinAlso(user, (await service.createTenant()).id);
    expect(await codeOf(reset(user.id))).toBe("reset_not_allowed");
    // Made while they belonged to this tenant alone.
    expect(await codeOf(users.invitation(early))).toBe("invitation_not_found");
    const token = await reset(user.id, true);
    expect(await codeOf(users.acceptNow(token, { password: NEW_PASSWORD }))).toBe("ok");
  });

  test("is of members only", async () => {
    const stranger = await users.join((await service.createTenant()).id);
    expect(await codeOf(reset(stranger.id))).toBe("member_not_found");
    expect(await codeOf(reset("usr_unknown"))).toBe("member_not_found");
  });
});
