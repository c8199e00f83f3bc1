import { ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { beforeEach, describe, expect, test } from "vitest";
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

  test("of many networks beside each other are short for one more of them", async () => {
    await fail(users.newEmail(), "2001:db8:7:1::1", 1);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 500 WHERE key LIKE 'neighbourhood:%/48'");
    await fail(users.newEmail(), "2001:db8:7:2::1", 1);
    const [wait] = [await waitOf(users.newEmail(), "2001:db8:7:3::1")];
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(2);
    expect(await waitOf(users.newEmail(), "2001:db8:8:3::1")).toBe(0);
  });

  test("that come all at once wait for each other up to a bound, and those beyond it are not counted", async () => {
    const outcomes = await Promise.all(
      Array.from(
        { length: 80 },
        async (_, index) => await attempt(users.newEmail(), WRONG, "000000", `203.0.113.${index}`),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome === "sign_in_refused").length;
    expect(outcomes.filter((outcome) => outcome === "too_many_attempts")).toHaveLength(80 - refused);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(80);
    const counted = "identity.sign_in_attempt WHERE key LIKE 'network:203.0.113.%' AND points > 0";
    expect(await rows.count(counted)).toBe(refused);
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
