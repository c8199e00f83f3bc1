import { afterAll, beforeAll, expect, test } from "vitest";
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
  const attempts = Array.from({ length: 40 }, async () => {
    const given = { email: users.newEmail(), password: PASSWORD, code: "000000", address };
    return await codeOf(users.client.signIn(given, users.internal));
  });
  await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0);
  const asked = { tokenHash: tokenHash("of no session") };
  expect(await codeOf(users.client.authenticateSession(asked, users.internal))).toBe("invalid_session");
  expect(await waiting()).toBe(1);
  await holder.run("COMMIT");
  const outcomes = await Promise.all(attempts);
  expect(outcomes.filter((outcome) => outcome === "sign_in_refused")).toHaveLength(33);
  expect(outcomes.filter((outcome) => outcome === "too_many_attempts")).toHaveLength(7);
});
