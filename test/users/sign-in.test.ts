import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD, Users, tokenHash, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

let user: TestUser;
const service = await forFile(startService());
const users = new Users(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const tenant = await service.createTenant();
beforeEach(async () => {
  user = await users.join(tenant.id);
});

const attempt = (email: string, password = PASSWORD, code = users.nextCode(user.secret), address = "") =>
  codeOf(users.client.signIn({ email, password, code, address }, users.internal));

describe("a sign-in", () => {
  test("with address, password and code starts a session of the user in their tenant", async () => {
    const { session } = await users.sessionOf(await users.signIn(user));
    expect(session).toMatchObject({
      user: { id: user.id, email: user.email, name: user.name },
      membership: { tenantId: tenant.id, role: Role.OWNER },
      memberships: [{ tenantId: tenant.id, role: Role.OWNER }],
    });
    expect(session?.id).toMatch(/^ses_/);
  });

  test("takes the address in any case and with spaces around, and the code with one inside", async () => {
    const code = users.nextCode(user.secret).replace(/^.../, "$& ");
    expect(await attempt(` ${user.email.toUpperCase()} `, PASSWORD, code)).toBe("ok");
  });

  test("takes a code of the step before and of the one after", async () => {
    const early = users.nextCode(user.secret);
    service.clock.advance(30);
    expect(await attempt(user.email, PASSWORD, early)).toBe("ok");
    service.clock.advance(60);
    const late = users.codeOf(user.secret);
    service.clock.advance(-30);
    expect(await attempt(user.email, PASSWORD, late)).toBe("ok");
  });

  test("goes to the tenant that the user last signed in to", async () => {
    const other = await service.createTenant();
    const token = await users.joinAlso(user, other.id, Role.VIEWER);
    expect((await users.sessionOf(await users.signIn(user))).session?.membership).toMatchObject({
      tenantId: other.id,
      role: Role.VIEWER,
    });
    service.clock.advance(1);
    await users.client.switchTenant({ tokenHash: tokenHash(token), tenantId: tenant.id }, users.internal);
    const { session } = await users.sessionOf(await users.signIn(user));
    expect(session?.membership?.tenantId).toBe(tenant.id);
    expect(session?.memberships).toHaveLength(2);
  });

  test("keeps of password, token and secret nothing that could be read", async () => {
    const token = await users.signIn(user);
    for (const secret of [PASSWORD, token, user.secret]) {
      expect(await rows.count(`identity."user" u WHERE u::text LIKE '%' || $1 || '%'`, [secret])).toBe(0);
      expect(await rows.count(`identity.session s WHERE s::text LIKE '%' || $1 || '%'`, [secret])).toBe(0);
    }
    const hashed = `identity."user" WHERE id = $1 AND password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%'`;
    expect(await rows.count(hashed, [user.id])).toBe(1);
  });
});

describe("one and the same refusal", () => {
  test.each([
    ["an unknown address", () => attempt(users.newEmail())],
    ["a text that is no address", () => attempt("nobody")],
    ["a wrong password", () => attempt(user.email, "wrong horse battery staple")],
    ["an empty password", () => attempt(user.email, "")],
    ["a wrong code", () => attempt(user.email, PASSWORD, "000000")],
    ["a code that is none", () => attempt(user.email, PASSWORD, "abcdef")],
    ["an empty code", () => attempt(user.email, PASSWORD, "")],
  ])("for %s", async (_, refused) => {
    expect(await refused()).toBe("sign_in_refused");
  });

  test("for a code that was used", async () => {
    const code = users.nextCode(user.secret);
    expect(await attempt(user.email, PASSWORD, code)).toBe("ok");
    expect(await attempt(user.email, PASSWORD, code)).toBe("sign_in_refused");
  });

  test("for all but one of those who use the same code at once", async () => {
    const code = users.nextCode(user.secret);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => attempt(user.email, PASSWORD, code)));
    expect(outcomes.toSorted()).toEqual(["ok", ...Array(3).fill("sign_in_refused")]);
  });

  test("for a code older than the step before", async () => {
    const code = users.nextCode(user.secret);
    service.clock.advance(60);
    expect(await attempt(user.email, PASSWORD, code)).toBe("sign_in_refused");
  });

  test("for a user who was removed from their only tenant", async () => {
    const { id: userId } = await users.join(tenant.id);
    await users.client.removeMember({ tenantId: tenant.id, userId: user.id }, users.internal);
    expect(await attempt(user.email)).toBe("sign_in_refused");
    expect(userId).not.toBe(user.id);
  });

  test("takes about as long for an unknown address as for a known one, also of two accounts", async () => {
    await users.joinAnew((await service.createTenant()).id, user.email);
    let network = 0;
    const timeOf = async (email: string): Promise<number> => {
      const startedMs = performance.now();
      const address = `198.51.100.${network++}`;
      expect(await attempt(email, "wrong horse battery staple", "000000", address)).toBe("sign_in_refused");
      return performance.now() - startedMs;
    };
    const times: [known: number, unknown: number][] = [];
    for (let round = 0; round < 9; round++) {
      times.push([await timeOf(user.email), await timeOf(users.newEmail())]);
    }
    const medianOf = (of: number[]): number => of.toSorted((a, b) => a - b)[4] ?? 0;
    const known = medianOf(times.map(([time]) => time));
    const unknown = medianOf(times.map(([, time]) => time));
    // Without the decoy hash, the one is a tenth of the other.
    expect(unknown).toBeGreaterThan(known * 0.4);
    expect(unknown).toBeLessThan(known * 2.5);
  });
});
