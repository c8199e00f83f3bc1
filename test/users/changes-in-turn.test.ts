import { expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { tokenHash, Users } from "../support/users.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
/** Holds what the changes wait for. */
const holder = await forFile(new DatabaseRows(service.databaseUrl).open());
const users = new Users(service);

const waiting = async (): Promise<number> =>
  await rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");

test.each([
  ["resets of a member", "SELECT FROM identity.invitation WHERE user_id = $1 FOR UPDATE"],
  ["roles of a member", "SELECT FROM identity.membership WHERE user_id = $1 FOR UPDATE"],
])("%s that wait for each other hold one connection, and the others work on", async (what, lock) => {
  const { id: tenantId } = await service.createTenant();
  const owner = await users.join(tenantId);
  const { id: userId } = await users.join(tenantId, Role.VIEWER);
  const reset = async () => await users.client.resetUser({ tenantId, userId }, users.internal);
  await reset();
  const change =
    what === "resets of a member"
      ? reset
      : async () =>
          await users.client.changeMemberRole({ tenantId, userId, role: Role.FINANCE }, users.internal);
  await holder.run("BEGIN");
  await holder.run(lock, [userId]);
  const changes = Array.from({ length: 40 }, async () => await codeOf(change()));
  await expect.poll(waiting).toBeGreaterThan(0);
  // The reads of all changes come before these.
  for (let count = 0; count < 10; count++) expect(await codeOf(users.sessionOf(owner.token))).toBe("ok");
  expect(await waiting()).toBe(1);
  await holder.run("COMMIT");
  expect(new Set(await Promise.all(changes))).toEqual(new Set(["ok"]));
});

test("changes of a user that wait for each other hold half of the connections, and the others work on", async () => {
  const { id: tenantId } = await service.createTenant();
  const { id: userId, token } = await users.join(tenantId);
  const put = async () => {
    const given = { tokenHash: tokenHash(token), isOn: true };
    return await codeOf(users.client.putOwnDigest(given, users.internal));
  };
  await put();
  await holder.run("BEGIN");
  await holder.run("SELECT FROM identity.digest WHERE user_id = $1 FOR UPDATE", [userId]);
  const changes = Array.from({ length: 40 }, put);
  await expect.poll(waiting).toBeGreaterThan(0);
  for (let count = 0; count < 10; count++) expect(await codeOf(users.sessionOf(token))).toBe("ok");
  expect(await waiting()).toBeLessThanOrEqual(4);
  await holder.run("COMMIT");
  expect(new Set(await Promise.all(changes))).toEqual(new Set(["ok"]));
});
