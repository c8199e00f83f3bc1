import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SignInLimiter } from "../../src/users/sign-in-limiter.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";
import { PASSWORD, Users, tokenHash } from "../support/users.ts";

let service: TestService;
let rows: DatabaseRows;
/** Holds what attempts wait for. */
let holder: DatabaseRows;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  holder = await new DatabaseRows(service.databaseUrl).open();
});
afterAll(async () => {
  await holder.close();
  await rows.close();
  await service.close();
});

test("attempts from one network that wait for each other hold one connection, and the others work on", async () => {
  const users = new Users(service);
  const address = "192.0.2.77";
  const waiting = async (): Promise<number> =>
    await rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'");
  await holder.run("BEGIN");
  await holder.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`network:${address}`]);
  let refused = 0;
  const attempts = Array.from({ length: 40 }, async () => {
    const given = { email: users.newEmail(), password: PASSWORD, code: "000000", address };
    const outcome = await codeOf(users.client.signIn(given, users.internal));
    if (outcome === "too_many_attempts") refused++;
    return outcome;
  });
  // One holds the connection, and 32 wait.
  await expect.poll(() => refused, { timeout: 10_000 }).toBe(7);
  const asked = { tokenHash: tokenHash("of no session") };
  expect(await codeOf(users.client.authenticateSession(asked, users.internal))).toBe("invalid_session");
  expect(await waiting()).toBe(1);
  await holder.run("COMMIT");
  const outcomes = await Promise.all(attempts);
  expect(outcomes.filter((outcome) => outcome === "sign_in_refused")).toHaveLength(33);
  expect(refused).toBe(7);
});

test("the browsers of one company's users take no permits of others who sign in", async () => {
  const users = new Users(service);
  const { id: tenantId } = await service.createTenant();
  const user = await users.join(tenantId);
  const address = "192.0.2.78";
  const browsers = Array.from({ length: 40 }, (_, index) => `browser ${index}`);
  for (const browser of browsers) {
    await rows.run(
      "INSERT INTO identity.known_browser (user_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)",
      [user.id, Buffer.from(tokenHash(browser)).toString("hex"), new Date(), new Date("2100-01-01")],
    );
  }
  const attempt = async (given: object): Promise<string> =>
    await codeOf(users.client.signIn({ password: "wrong", code: "000000", ...given }, users.internal));
  await holder.run("BEGIN");
  await holder.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`network:${address}`]);
  let refused = 0;
  const flood = browsers.map(async (browser) => {
    const given = { email: user.email, address, browserTokenHash: tokenHash(browser) };
    if ((await attempt(given)) === "too_many_attempts") refused++;
  });
  // One is counted, and 32 wait.
  await expect.poll(() => refused, { timeout: 10_000 }).toBe(7);
  const other = attempt({ email: users.newEmail(), address: "198.51.100.9" });
  // By now a refusal of it would be known.
  await attempt({ email: user.email, address, browserTokenHash: tokenHash("browser 0") });
  await holder.run("COMMIT");
  expect(await other).toBe("sign_in_refused");
  await Promise.all(flood);
});

test("attempts lock the counts that they share in one order, so that none ends by a deadlock", async () => {
  const pool = new pg.Pool({ connectionString: service.databaseUrl, options: "-c search_path=identity" });
  const limiter = new SignInLimiter(pool, service.clock);
  const attempt = { account: "ana@example.test", address: "198.51.100.80", browser: undefined };
  const turn = await limiter.begin(attempt);
  const [first, ...others] = turn.keys.toSorted();
  const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const unlocked =
    "(SELECT FROM identity.sign_in_attempt WHERE key = ANY ($1) FOR UPDATE SKIP LOCKED) AS rows";
  for (const work of [() => limiter.begin(attempt), () => limiter.succeed(turn)]) {
    await holder.run("BEGIN");
    await holder.run("SELECT FROM identity.sign_in_attempt WHERE key = $1 FOR UPDATE", [first]);
    const done = work();
    await expect.poll(async () => await rows.count(waiting), { timeout: 10_000 }).toBe(1);
    expect(await rows.count(unlocked, [others])).toBe(others.length);
    await holder.run("COMMIT");
    await done;
  }
  await pool.end();
});
