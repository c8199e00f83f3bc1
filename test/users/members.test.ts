import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { PASSWORD, tokenHash, Users, type TestUser } from "../support/users.ts";
import { asUser as asUserWith } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

let tenantId: string;
let owner: TestUser;
const service = await forFile(startService());
const users = new Users(service);
beforeEach(async () => {
  tenantId = (await service.createTenant()).id;
  owner = await users.join(tenantId);
});

const list = async () => await users.client.listMembers({ tenantId }, users.internal);
const changeRole = (userId: string, role: Role) =>
  codeOf(users.client.changeMemberRole({ tenantId, userId, role }, users.internal));
const remove = (userId: string) => codeOf(users.client.removeMember({ tenantId, userId }, users.internal));
const asUser = ({ id, email }: TestUser) => asUserWith(service.internal, { id, email });
const ownerCount = async () => (await list()).members.filter(({ role }) => role === Role.OWNER).length;

test("members are listed with when they came and last signed in, and open invitations beside them", async () => {
  service.clock.advance(60);
  const viewer = await users.join(tenantId, Role.VIEWER);
  await users.invite(tenantId, Role.FINANCE, "invited@example.test");
  service.clock.advance(60);
  await users.signIn(viewer);
  const { members, invitations } = await list();
  expect(members).toMatchObject([
    { userId: owner.id, email: owner.email, name: owner.name, role: Role.OWNER },
    { userId: viewer.id, role: Role.VIEWER },
  ]);
  const [, listed] = members;
  expect(Number(listed?.lastSignedInAt?.seconds)).toBeGreaterThan(Number(listed?.createdAt?.seconds) + 59);
  expect(invitations).toMatchObject([{ email: "invited@example.test", role: Role.FINANCE }]);
  expect(await codeOf(users.client.listMembers({ tenantId: "ten_unknown" }, users.internal))).toBe(
    "tenant_not_found",
  );
});

test("a member of another tenant is unknown here", async () => {
  const stranger = await users.join((await service.createTenant()).id);
  expect(await changeRole(stranger.id, Role.VIEWER)).toBe("member_not_found");
  expect(await remove(stranger.id)).toBe("member_not_found");
  expect(await codeOf(users.sessionOf(stranger.token))).toBe("ok");
});

test("a removed member's sessions of this tenant end, those of others stay", async () => {
  const other = await service.createTenant();
  const member = await users.join(tenantId, Role.FINANCE);
  const elsewhere = await users.joinAlso(member, other.id);
  expect(await remove(member.id)).toBe("ok");
  expect(await codeOf(users.sessionOf(member.token))).toBe("invalid_session");
  expect((await users.sessionOf(elsewhere)).session?.memberships).toMatchObject([{ tenantId: other.id }]);
  expect((await list()).members.map(({ userId }) => userId)).toEqual([owner.id]);
  expect(await remove(member.id)).toBe("member_not_found");
});

test("a member who comes back finds no old session", async () => {
  const member = await users.join(tenantId, Role.FINANCE);
  await users.joinAlso(member, (await service.createTenant()).id);
  await remove(member.id);
  await users.joinAlso(member, tenantId, Role.VIEWER);
  expect(await codeOf(users.sessionOf(member.token))).toBe("invalid_session");
});

describe("the last owner", () => {
  test("is neither removed nor given another role, with any other members", async () => {
    await users.join(tenantId, Role.DEVELOPER);
    expect(await remove(owner.id)).toBe("last_owner");
    expect(await changeRole(owner.id, Role.FINANCE)).toBe("last_owner");
    expect(await changeRole(owner.id, Role.OWNER)).toBe("ok");
    expect(await ownerCount()).toBe(1);
  });

  test("goes when there is another", async () => {
    const other = await users.join(tenantId, Role.VIEWER);
    expect(await changeRole(other.id, Role.OWNER)).toBe("ok");
    expect(await remove(owner.id)).toBe("ok");
    expect(await remove(other.id)).toBe("last_owner");
  });

  test("stays when both owners are removed or demoted at once", async () => {
    const ways = {
      remove,
      demote: async (userId: string) => await changeRole(userId, Role.VIEWER),
    };
    for (const [one, other] of [
      [ways.remove, ways.remove],
      [ways.remove, ways.demote],
      [ways.demote, ways.demote],
    ] as const) {
      tenantId = (await service.createTenant()).id;
      const [first, second] = [await users.join(tenantId), await users.join(tenantId)];
      // Both find a connection ready, so that neither is first by far.
      await Promise.all([1, 2, 3, 4].map(list));
      const outcomes = await Promise.all([one(first.id), other(second.id)]);
      expect(outcomes.toSorted()).toEqual(["last_owner", "ok"]);
      expect(await ownerCount()).toBe(1);
    }
  });
});

describe("a one-time link that a former owner made", () => {
  const made = async (kind: "invitation" | "reset") => {
    const [maker, victim] = [await users.join(tenantId), await users.join(tenantId)];
    const { token } =
      kind === "reset"
        ? await users.client.resetUser({ tenantId, userId: victim.id }, asUser(maker))
        : await users.client.inviteUser(
            { tenantId, email: users.newEmail(), role: Role.OWNER },
            asUser(maker),
          );
    const open = () => codeOf(users.client.getInvitation({ tokenHash: tokenHash(token) }, users.internal));
    expect(await open()).toBe("ok");
    return { maker, victim, open };
  };

  test.each(["invitation", "reset"] as const)("is refused once they are removed: %s", async (kind) => {
    const { maker, open } = await made(kind);
    expect(await remove(maker.id)).toBe("ok");
    expect(await open()).toBe("invitation_not_found");
    expect((await list()).invitations).toEqual([]);
  });

  test.each(["invitation", "reset"] as const)("is refused once they are demoted: %s", async (kind) => {
    const { maker, open } = await made(kind);
    expect(await changeRole(maker.id, Role.VIEWER)).toBe("ok");
    expect(await open()).toBe("invitation_not_found");
    expect(await changeRole(maker.id, Role.OWNER)).toBe("ok");
    expect(await open()).toBe("invitation_not_found");
  });

  test("is refused also where the gateway has a token of its own", async () => {
    const identity = createClient(IdentityService, service.core.transport);
    const wanted = { name: "gateway", permissions: ["*:admin"], isGateway: true };
    const { token } = await identity.createCoreToken(wanted, service.internal);
    const maker = await users.join(tenantId);
    const headers = { ...asUser(maker).headers, authorization: `Bearer ${token}` };
    const invited = { tenantId, email: users.newEmail(), role: Role.OWNER };
    const { token: link } = await users.client.inviteUser(invited, { headers });
    expect(await remove(maker.id)).toBe("ok");
    const opened = users.client.getInvitation({ tokenHash: tokenHash(link) }, users.internal);
    expect(await codeOf(opened)).toBe("invitation_not_found");
  });

  test("is refused although it was written after they were removed", async () => {
    const { maker, open } = await made("reset");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.run("DELETE FROM identity.membership WHERE user_id = $1", [maker.id]);
    await rows.close();
    expect(await open()).toBe("invitation_not_found");
  });

  test("to new secrets is listed, and refused once the member chose a new password", async () => {
    const { victim, open } = await made("reset");
    expect((await list()).invitations).toMatchObject([{ userId: victim.id, email: victim.email }]);
    const changed = {
      tokenHash: tokenHash(victim.token),
      password: PASSWORD,
      newPassword: "another long one 42",
    };
    await users.client.changePassword(changed, users.internal);
    expect(await open()).toBe("invitation_not_found");
  });
});
