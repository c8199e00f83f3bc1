import { setImmediate as immediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { userOwner } from "../../src/users/attempt-owner.ts";
import { hashPassword } from "../../src/users/password.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { PASSWORD, tokenHash, Users } from "../support/users.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const blocker = await forFile(new DatabaseRows(service.databaseUrl).open());
const users = new Users(service);

/** Keeps all permits of a user occupied while the work runs. */
async function whileFull(userId: string, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const loops = Array.from({ length: 40 }, async () => {
    while (!isOver) {
      await hashPassword("some other password", userOwner(userId)).catch(immediate);
    }
  });
  await work();
  isOver = true;
  await Promise.all(loops);
}

test("a right password that gets no permit is no failure, and another user gets one", async () => {
  const [tenant, other] = [await service.createTenant(), await service.createTenant()];
  const [user, stranger] = [await users.join(tenant.id), await users.join(other.id)];
  const confirm = async ({ token }: { readonly token: string }) =>
    await codeOf(
      users.client.confirmPassword({ tokenHash: tokenHash(token), password: PASSWORD }, users.internal),
    );
  await whileFull(user.id, async () => {
    const codes = new Set<string>();
    for (let count = 0; count < 50 && !codes.has("too_many_attempts"); count++)
      codes.add(await confirm(user));
    expect(codes).toContain("too_many_attempts");
    expect(await confirm(stranger)).toBe("ok");
    expect(await codeOf(users.signIn(stranger))).toBe("ok");
  });
  const own = "identity.sign_in_attempt WHERE key = $1 AND points > 0";
  expect(await rows.count(own, [`own:${user.id}`])).toBe(0);
  expect(await confirm(user)).toBe("ok");
});

test("many right passwords of a user at once leave no wait", async () => {
  const user = await users.join((await service.createTenant()).id);
  const confirm = async () =>
    await codeOf(
      users.client.confirmPassword({ tokenHash: tokenHash(user.token), password: PASSWORD }, users.internal),
    );
  const codes = await Promise.all(Array.from({ length: 30 }, confirm));
  expect(new Set(codes)).toEqual(new Set(["ok"]));
  expect(await confirm()).toBe("ok");
});

test("a sign-in with the former password that is committed after its change makes no session", async () => {
  const user = await users.join((await service.createTenant()).id);
  const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await blocker.run("BEGIN");
  await blocker.run('SELECT FROM identity."user" WHERE id = $1 FOR UPDATE', [user.id]);
  const request = {
    tokenHash: tokenHash(user.token),
    password: PASSWORD,
    newPassword: "another horse battery",
  };
  const changed = codeOf(users.client.changePassword(request, users.internal));
  await expect.poll(async () => await rows.count(waiting), { timeout: 10_000 }).toBe(1);
  const signedIn = codeOf(users.signIn(user));
  await expect.poll(async () => await rows.count(waiting), { timeout: 10_000 }).toBe(2);
  await blocker.run("COMMIT");
  expect([await changed, await signedIn]).toEqual(["ok", "sign_in_refused"]);
  expect(await rows.count("identity.session WHERE user_id = $1", [user.id])).toBe(1);
});
