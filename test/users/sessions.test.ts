import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD, Users, tokenHash, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const NEW_PASSWORD = "another horse battery staple";

let user: TestUser;
const service = await forFile(startService());
const users = new Users(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const tenant = await service.createTenant();
beforeEach(async () => {
  user = await users.join(tenant.id);
});

const isGood = async (token: string): Promise<boolean> => (await codeOf(users.sessionOf(token))) === "ok";
const own = (token: string) => ({ tokenHash: tokenHash(token) });

describe("a session", () => {
  test("of an unknown token does not exist", async () => {
    expect(await codeOf(users.sessionOf("x"))).toBe("invalid_session");
  });

  test("ends after an hour without use", async () => {
    service.clock.advance(HOUR_SECONDS - 5);
    expect(await isGood(user.token)).toBe(true);
    service.clock.advance(HOUR_SECONDS - 5);
    expect(await isGood(user.token)).toBe(true);
    service.clock.advance(HOUR_SECONDS);
    expect(await isGood(user.token)).toBe(false);
  });

  test("ends after twelve hours of any use, and its answer has the time", async () => {
    const { session } = await users.sessionOf(user.token);
    const seconds = (time: { seconds: bigint } | undefined) => Number(time?.seconds);
    expect(seconds(session?.expiresAt) - seconds(session?.createdAt)).toBe(12 * HOUR_SECONDS);
    expect(seconds(session?.idleExpiresAt) - seconds(session?.createdAt)).toBe(HOUR_SECONDS);
    for (let half = 0; half < 23; half++) {
      service.clock.advance(HOUR_SECONDS / 2);
      expect(await isGood(user.token)).toBe(true);
    }
    expect((await users.sessionOf(user.token)).session?.idleExpiresAt).toEqual(session?.expiresAt);
    service.clock.advance(HOUR_SECONDS / 2);
    expect(await isGood(user.token)).toBe(false);
    await service.core.tasks.removePast();
    expect(await rows.count("identity.session WHERE user_id = $1", [user.id])).toBe(0);
  });

  test("is noted to be in use once a minute at most", async () => {
    const seenAt = async () => {
      const { sessions } = await users.client.listSessions(own(user.token), users.internal);
      return Number(sessions.find(({ isCurrent }) => isCurrent)?.lastSeenAt?.seconds);
    };
    const first = await seenAt();
    service.clock.advance(MINUTE_SECONDS - 2);
    await users.sessionOf(user.token);
    expect(await seenAt()).toBe(first);
    service.clock.advance(MINUTE_SECONDS);
    await users.sessionOf(user.token);
    expect(await seenAt()).toBeGreaterThanOrEqual(first + 2 * MINUTE_SECONDS - 2);
  });

  test("shows a role from the next request on", async () => {
    await users.join(tenant.id);
    await users.client.changeMemberRole(
      { tenantId: tenant.id, userId: user.id, role: Role.VIEWER },
      users.internal,
    );
    expect((await users.sessionOf(user.token)).session?.membership?.role).toBe(Role.VIEWER);
  });

  test("ends with a sign-out, and no other does", async () => {
    const other = await users.signIn(user);
    await users.client.signOut(own(user.token), users.internal);
    expect([await isGood(user.token), await isGood(other)]).toEqual([false, true]);
    expect(await codeOf(users.client.signOut(own(user.token), users.internal))).toBe("invalid_session");
  });

  test("ends with a sign-out everywhere, and no other user's does", async () => {
    const [other, stranger] = [await users.signIn(user), await users.join(tenant.id)];
    await users.client.signOutEverywhere(own(other), users.internal);
    expect([await isGood(user.token), await isGood(other)]).toEqual([false, false]);
    expect(await isGood(stranger.token)).toBe(true);
  });

  test("ends when its user ends it from another, and no other user can", async () => {
    const other = await users.client.signIn(
      {
        email: user.email,
        password: PASSWORD,
        code: users.nextCode(user.secret),
        address: "192.0.2.1",
        userAgent: `Firefox ${"x".repeat(300)}`,
      },
      users.internal,
    );
    const { sessions } = await users.client.listSessions(own(user.token), users.internal);
    expect(sessions).toMatchObject([
      { address: "192.0.2.1", isCurrent: false, tenantName: "Test" },
      { address: "", isCurrent: true },
    ]);
    expect(sessions[0]?.userAgent).toHaveLength(200);
    const id = sessions[0]?.id ?? "";
    const revoke = (token: string) =>
      codeOf(users.client.revokeSession({ ...own(token), id }, users.internal));
    expect(await revoke((await users.join(tenant.id)).token)).toBe("session_not_found");
    expect(await isGood(other.sessionToken)).toBe(true);
    expect(await revoke(user.token)).toBe("ok");
    expect([await isGood(other.sessionToken), await isGood(user.token)]).toEqual([false, true]);
  });

  test("moves to another tenant of its user, and to no other", async () => {
    const other = await service.createTenant();
    const foreign = await service.createTenant();
    await users.joinAlso(user, other.id, Role.VIEWER);
    const to = async (tenantId: string) =>
      await users.client.switchTenant({ ...own(user.token), tenantId }, users.internal);
    expect(await codeOf(to(foreign.id))).toBe("tenant_not_found");
    expect((await to(other.id)).session?.membership).toMatchObject({ tenantId: other.id, role: Role.VIEWER });
    expect((await users.sessionOf(user.token)).session?.membership?.tenantId).toBe(other.id);
  });
});

describe("a password", () => {
  const confirm = (password: string) =>
    codeOf(users.client.confirmPassword({ ...own(user.token), password }, users.internal));
  const change = (password: string, newPassword: string) =>
    codeOf(users.client.changePassword({ ...own(user.token), password, newPassword }, users.internal));

  test("is confirmed when it is the user's, in either of two spellings of the same characters", async () => {
    expect(await confirm(PASSWORD)).toBe("ok");
    expect(await confirm(PASSWORD.replace("c", "ｃ"))).toBe("ok");
    expect(await confirm("wrong horse battery staple")).toBe("password_refused");
  });

  test("can be tried ten times", async () => {
    for (let count = 0; count < 10; count++) expect(await confirm("wrong")).toBe("password_refused");
    expect(await confirm(PASSWORD)).toBe("too_many_attempts");
    expect(await change(PASSWORD, NEW_PASSWORD)).toBe("too_many_attempts");
    // The sign-in has a count of its own: a signed-in user cannot keep another out.
    expect(await codeOf(users.signIn(user))).toBe("ok");
  });

  test("is changed by who knows it, and ends the other sessions", async () => {
    const other = await users.signIn(user);
    expect(await change("wrong horse battery staple", NEW_PASSWORD)).toBe("password_refused");
    expect(await change(PASSWORD, "short")).toBe("invalid_request");
    expect(await change(PASSWORD, user.email)).toBe("invalid_request");
    expect(await isGood(other)).toBe(true);
    expect(await change(PASSWORD, NEW_PASSWORD)).toBe("ok");
    expect([await isGood(other), await isGood(user.token)]).toEqual([false, true]);
    expect(await codeOf(users.signIn(user))).toBe("sign_in_refused");
    expect(await codeOf(users.signIn(user, { password: NEW_PASSWORD }))).toBe("ok");
  });
});
