import { expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { Users } from "../support/users.ts";

const USERS_MAX = 4;

const service = await forFile(startService("direct", { quotas: { ...DEFAULT_QUOTAS, users: USERS_MAX } }));
const users = new Users(service);

test("a tenant's members and open invitations are bounded together, also when many are made at once", async () => {
  const { id: tenantId } = await service.createTenant();
  const invite = async (email = users.newEmail()) => await codeOf(users.invite(tenantId, Role.VIEWER, email));
  await users.join(tenantId);
  const emails = Array.from({ length: 6 }, () => users.newEmail());
  const codes = await Promise.all(emails.map(invite));
  expect(codes.filter((code) => code === "ok")).toHaveLength(USERS_MAX - 1);
  expect(codes.filter((code) => code === "quota_exceeded")).toHaveLength(3);
  const { invitations } = await users.client.listMembers({ tenantId }, users.internal);
  expect(invitations).toHaveLength(USERS_MAX - 1);
  // A new link for an invited address takes the place of the former one.
  const [invited = ""] = invitations.map(({ email }) => email);
  const again = await users.invite(tenantId, Role.VIEWER, invited);
  expect(await codeOf(users.acceptNow(again))).toBe("ok");
  expect(await invite()).toBe("quota_exceeded");
  const [, { id } = { id: "" }] = invitations;
  await users.client.revokeInvitation({ tenantId, id }, users.internal);
  expect(await invite()).toBe("ok");
  expect(await invite()).toBe("quota_exceeded");
  service.clock.advance(7 * 86_400 + 1);
  expect(await invite()).toBe("ok");
});

test("a full tenant's members get new secrets", async () => {
  const { id: tenantId } = await service.createTenant();
  const [owner] = [await users.join(tenantId)];
  for (let count = 1; count < USERS_MAX; count++) await users.join(tenantId, Role.VIEWER);
  expect(await codeOf(users.invite(tenantId, Role.VIEWER))).toBe("quota_exceeded");
  const reset = users.client.resetUser({ tenantId, userId: owner.id }, users.internal);
  expect(await codeOf(reset)).toBe("ok");
});
