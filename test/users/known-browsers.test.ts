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
});
