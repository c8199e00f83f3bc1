import { ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { PASSWORD, Users, tokenHash, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

let service: TestService;
let users: Users;
let rows: DatabaseRows;
let tenant: TestTenant;
let user: TestUser;
beforeAll(async () => {
  service = await startService();
  users = new Users(service);
  rows = await new DatabaseRows(service.databaseUrl).open();
  tenant = await service.createTenant();
});
beforeEach(async () => {
  user = await users.join(tenant.id);
});
afterAll(async () => {
  await rows.close();
  await service.close();
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

describe("waits", () => {
  const WRONG = "wrong horse battery staple";
  const LONGEST = 120;

  /** Makes so many attempts that fail, each as soon as it may be made. */
  async function fail(email: string, address: string, count: number): Promise<void> {
    for (let made = 0; made < count;) {
      const outcome = await attempt(email, WRONG, "000000", address);
      if (outcome === "sign_in_refused") made++;
      else service.clock.advance(LONGEST);
    }
  }

  /** The seconds that an attempt is asked to wait; 0 when it is looked at. */
  async function waitOf(email: string, address: string): Promise<number> {
    const given = { email, password: WRONG, code: "000000", address };
    const error = await users.client
      .signIn(given, users.internal)
      .catch((reason: unknown) => ConnectError.from(reason));
    const [retry] = error instanceof ConnectError ? error.findDetails(RetryInfoSchema) : [];
    return Number(retry?.retryDelay?.seconds ?? 0);
  }

  /** As after many wrong attempts on everything that is counted by now, but for known browsers. */
  async function flood(): Promise<void> {
    await rows.run(
      "UPDATE identity.sign_in_attempt SET points = 500, allowed_at = $1 WHERE key NOT LIKE 'browser:%'",
      [service.clock.nowMs() + LONGEST * 1000],
    );
  }

  /** Signs in with a browser that shows this token, and answers the one that it gets. */
  async function signInWith(browserToken = "", password = PASSWORD, address = ""): Promise<string> {
    const code = users.codeOf(user.secret);
    const known = browserToken === "" ? {} : { browserTokenHash: tokenHash(browserToken) };
    const request = { email: user.email, password, code, address, ...known };
    return (await users.client.signIn(request, users.internal)).browserToken;
  }

  /** Waits for the app's next code without as much as a minute of waiting. */
  const nextStep = () => service.clock.advance(30);

  test.each([
    ["a known account", () => user.email],
    ["an unknown one", () => users.newEmail()],
  ])("on %s grow to two minutes, whatever is typed, and no further", async (_, emailOf) => {
    const email = emailOf();
    const address = "192.0.2.1";
    for (let count = 0; count < 5; count++) expect(await waitOf(email, address)).toBe(0);
    await fail(email, address, 8);
    for (let count = 0; count < 5; count++) {
      const wait = await waitOf(email.toUpperCase(), address);
      expect(wait).toBeGreaterThan(LONGEST - 30);
      expect(wait).toBeLessThanOrEqual(LONGEST);
    }
    expect(await attempt(email, PASSWORD, users.codeOf(user.secret), address)).toBe("too_many_attempts");
    service.clock.advance(LONGEST);
    expect(await waitOf(email, address)).toBe(0);
  });

  test("of one network are nothing to another, and those of a few are short for a new one", async () => {
    await fail(user.email, "192.0.2.2", 12);
    expect(await attempt(user.email, PASSWORD, users.nextCode(user.secret), "192.0.2.3")).toBe("ok");
    for (let host = 10; host < 18; host++) await fail(user.email, `192.0.2.${host}`, 3);
    const wait = await waitOf(user.email, "192.0.2.4");
    expect(wait).toBeLessThanOrEqual(30);
    service.clock.advance(30);
    expect(await attempt(user.email, PASSWORD, users.codeOf(user.secret), "192.0.2.4")).toBe("ok");
  });

  test("of one network are short for another account of it", async () => {
    const address = "2001:db8::1";
    await fail(users.newEmail(), address, 1);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 5000 WHERE key LIKE 'network:%/64'");
    expect(await waitOf(users.newEmail(), "2001:db8::2")).toBe(0);
    const wait = await waitOf(user.email, "2001:db8::3");
    expect(wait).toBeLessThanOrEqual(5);
    service.clock.advance(30);
    expect(await attempt(user.email, PASSWORD, users.codeOf(user.secret), address)).toBe("ok");
  });

  test("do not hold up a browser that the user signed in with", async () => {
    const address = "192.0.2.5";
    nextStep();
    const browser = await signInWith("", PASSWORD, address);
    await fail(user.email, address, 3);
    await flood();
    nextStep();
    expect(await codeOf(signInWith("", PASSWORD, address))).toBe("too_many_attempts");
    const other = await users.join(tenant.id);
    const stranger = { email: other.email, password: PASSWORD, code: users.nextCode(other.secret) };
    const { browserToken } = await users.client.signIn(stranger, users.internal);
    await flood();
    expect(await codeOf(signInWith(browserToken, PASSWORD, address))).toBe("too_many_attempts");
    expect(await codeOf(signInWith(browser, WRONG, address))).toBe("sign_in_refused");
    const renewed = await signInWith(browser, PASSWORD, address);
    nextStep();
    await flood();
    // A sign-in gives a new token in place of the one before.
    expect(await codeOf(signInWith(browser, PASSWORD, address))).toBe("too_many_attempts");
    expect(await codeOf(signInWith(renewed, PASSWORD, address))).toBe("ok");
  });

  test("grow for a known browser too", async () => {
    nextStep();
    const browser = await signInWith();
    await flood();
    for (let count = 0; count < 10; count++) {
      expect(await codeOf(signInWith(browser, WRONG))).toBe("sign_in_refused");
    }
    await rows.run(
      "UPDATE identity.sign_in_attempt SET points = 20, allowed_at = allowed_at + 100000 WHERE key LIKE 'browser:%'",
    );
    expect(await codeOf(signInWith(browser))).toBe("too_many_attempts");
  });

  test.each([
    [
      "a sign-out everywhere",
      async (own: TestUser) => {
        await users.client.signOutEverywhere({ tokenHash: tokenHash(own.token) }, users.internal);
      },
    ],
    [
      "a change of the password",
      async (own: TestUser) => {
        const change = { tokenHash: tokenHash(own.token), password: PASSWORD, newPassword: `${PASSWORD} 2` };
        await users.client.changePassword(change, users.internal);
      },
    ],
    [
      "a reset",
      async (own: TestUser) => {
        const ofMember = { tenantId: tenant.id, userId: own.id };
        const { token } = await users.client.resetUser(ofMember, users.internal);
        const hash = { tokenHash: tokenHash(token) };
        const { totpSecret = "" } = await users.client.getInvitation(hash, users.internal);
        const given = { ...hash, password: PASSWORD, code: users.codeOf(totpSecret) };
        await users.client.acceptInvitation(given, users.internal);
      },
    ],
  ])("are again those of any browser after %s", async (_, end) => {
    const knows = async (token: string) =>
      await rows.count("identity.known_browser WHERE user_id = $1 AND token_hash = $2", [
        user.id,
        Buffer.from(tokenHash(token)).toString("hex"),
      ]);
    nextStep();
    const browser = await signInWith();
    expect(await knows(browser)).toBe(1);
    await end(user);
    expect(await knows(browser)).toBe(0);
  });

  test("know ten browsers of a user, for half a year", async () => {
    const tokens: string[] = [];
    for (let count = 0; count < 11; count++) {
      nextStep();
      tokens.push(await signInWith());
    }
    const known = "identity.known_browser WHERE user_id = $1";
    expect(await rows.count(known, [user.id])).toBe(10);
    const last = Buffer.from(tokenHash(tokens.at(-1) ?? "")).toString("hex");
    expect(await rows.count(`${known} AND token_hash = $2`, [user.id, last])).toBe(1);
    expect(
      await rows.count("identity.known_browser b WHERE b::text LIKE '%' || $1 || '%'", [tokens[10]]),
    ).toBe(0);
    await rows.run("UPDATE identity.known_browser SET expires_at = $1", [
      new Date(service.clock.nowMs() - 1000),
    ]);
    await service.core.tasks.removePast();
    expect(await rows.count("identity.known_browser")).toBe(0);
  });

  test("end with a day, and good attempts count for nothing", async () => {
    await users.signIn(user, { address: "192.0.2.7" });
    expect(await rows.count("identity.sign_in_attempt WHERE key LIKE '%192.0.2.7' AND points > 0")).toBe(0);
    await fail(user.email, "192.0.2.7", 1);
    await flood();
    expect(await waitOf(user.email, "192.0.2.7")).toBeGreaterThan(0);
    service.clock.advance(86_400);
    expect(await waitOf(user.email, "192.0.2.7")).toBe(0);
    service.clock.advance(86_401);
    await service.core.tasks.removePast();
    expect(await rows.count("identity.sign_in_attempt")).toBe(0);
  });

  test("that are few make none wait whose clock is a second behind", async () => {
    const code = users.nextCode(user.secret);
    expect(await attempt(user.email, "wrong horse battery staple", code)).toBe("sign_in_refused");
    service.clock.advance(-1);
    expect(await attempt(user.email, PASSWORD, code)).toBe("ok");
    service.clock.advance(1);
  });

  test("let through one of those who come at once", async () => {
    await fail(user.email, "192.0.2.8", 12);
    service.clock.advance(LONGEST);
    const waits = await Promise.all([1, 2, 3, 4].map(() => waitOf(user.email, "192.0.2.8")));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(1);
  });

  test("are in the audit log less and less often", async () => {
    const recorded = async () =>
      await rows.count("identity.audit_entry WHERE action = 'SignInRefused' AND object_id = $1", [user.id]);
    await fail(user.email, "192.0.2.9", 11);
    // The first three as a newcomer, the others as one who failed before.
    expect(await recorded()).toBe(11);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 2000");
    await fail(user.email, "192.0.2.9", 5);
    expect(await recorded()).toBe(11);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 2047");
    await fail(user.email, "192.0.2.9", 1);
    expect(await recorded()).toBe(12);
  });
});
