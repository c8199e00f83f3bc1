import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { signIn, typed } from "./sign-in-form.ts";

const MINUTE = 60;

const service = await forFile(startService());
const tenant = await service.createTenant();

/** A page without what differs between any two of its kind. */
function steady(body: string): string {
  return body.replaceAll(/nonce="[^"]+"|value="[^"]*"/g, "");
}

describe("signing in", () => {
  test("with e-mail, password and code opens a session, whose cookie no script reads", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const answer = await signIn(client, typed(service, user));
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/console/test"]);
    const session = answer.cookies.find(({ name }) => name === "paylink_session");
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
    expect(session).not.toHaveProperty("secure");
    const home = await client.get("/console/test");
    expect(home.statusCode).toBe(200);
    expect(home.body).toContain(user.name);
  });

  test("leads back to the page that was asked for, and to no other host", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const back = await signIn(new ConsoleClient(service), {
      ...typed(service, user),
      next: "/console/live/links?status=active",
    });
    expect(back.headers.location).toBe("/console/live/links?status=active");
    for (const next of [
      "//evil.example",
      "https://evil.example/console",
      "/console/test\\@evil.example",
      "/pay/x",
      "/console/../v1",
    ]) {
      const answer = await signIn(new ConsoleClient(service), { ...typed(service, user), next });
      expect([next, answer.statusCode, answer.headers.location]).toEqual([next, 303, "/console/test"]);
    }
  });

  test("is answered alike for an unknown user, a wrong password, a wrong code and a code used twice", async () => {
    const user = await createUser(service, tenant.id, "developer");
    const good = typed(service, user);
    expect((await signIn(new ConsoleClient(service), good)).statusCode).toBe(303);
    const bad: Record<string, string>[] = [
      { ...good },
      { ...typed(service, user), code: "000000" },
      { ...typed(service, user), password: "not my password at all" },
      { ...typed(service, user), email: "nobody@example.test" },
    ];
    const answers = [];
    for (const form of bad) answers.push(await signIn(new ConsoleClient(service), form));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(bad.map(() => 422));
    expect(new Set(answers.map(({ body }) => steady(body))).size).toBe(1);
    expect(answers[0]?.body).toContain("não conferem");
    for (const password of bad.map((form) => form["password"] ?? "").filter(Boolean)) {
      for (const { body } of answers) expect(body).not.toContain(password);
    }
  });

  test("without address, password and code says that each is missing, and is no attempt", async () => {
    const client = new ConsoleClient(service);
    for (let time = 0; time < 10; time++) {
      const { statusCode, body } = await signIn(client, { email: " ", password: "", code: "12" });
      expect(statusCode).toBe(422);
      for (const field of ["email", "password", "code"]) expect(body).toContain(`field-${field}-problem`);
    }
  });

  test("has to wait after many failures, alike for known and unknown users, and shows how long", async () => {
    const user = await createUser(service, tenant.id, "viewer");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const seen: string[][] = [];
    for (const email of [user.email, "nobody-limited@example.test"]) {
      const outcomes: string[] = [];
      const attempt = async (form: Record<string, string> = {}) => {
        const given = { ...typed(service, user), email, password: "wrong password 123", ...form };
        const { statusCode, headers, body } = await signIn(new ConsoleClient(service), given);
        const wait = Number(headers["retry-after"] ?? 0);
        expect(body.includes(`Espere ${wait} s`)).toBe(wait > 0);
        outcomes.push(`${statusCode} ${wait > 100 && wait <= 160}`);
      };
      await attempt();
      await rows.run("UPDATE identity.sign_in_attempt SET allowed_at = $1", [
        service.clock.nowMs() + (MINUTE + 150) * 1000,
      ]);
      await attempt();
      await rows.run("UPDATE identity.sign_in_attempt SET allowed_at = allowed_at + 60000");
      // Also with what would be right.
      await attempt({ password: user.password });
      await rows.run("UPDATE identity.sign_in_attempt SET allowed_at = 0");
      seen.push(outcomes);
    }
    await rows.close();
    expect(seen[0]).toEqual(["422 false", "429 true", "429 true"]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("makes the browser known, so that it need not wait for what others do", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const { cookies } = await signIn(client, typed(service, user));
    const known = cookies.find(({ name }) => name === "paylink_browser");
    expect(known).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", maxAge: 180 * 24 * 3600 });
    await client.post("/console/test", "/console/signout");
    expect(client.cookies.get("paylink_browser")).toBe(known?.value);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await signIn(new ConsoleClient(service), { ...typed(service, user), password: "wrong password 123" });
    await rows.run("UPDATE identity.sign_in_attempt SET allowed_at = $1", [
      service.clock.nowMs() + 10 * MINUTE * 1000,
    ]);
    expect((await signIn(new ConsoleClient(service), typed(service, user))).statusCode).toBe(429);
    expect((await signIn(client, typed(service, user))).statusCode).toBe(303);
    expect(client.cookies.get("paylink_browser")).not.toBe(known?.value);
    await rows.run("DELETE FROM identity.sign_in_attempt");
    await rows.close();
  });

  test("needs the form's own token and our origin", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const token = await client.formToken("/console/signin");
    const form = typed(service, user);
    expect((await client.send("/console/signin", form)).statusCode).toBe(403);
    expect(
      (await new ConsoleClient(service).send("/console/signin", { ...form, form_token: token })).statusCode,
    ).toBe(403);
    const foreign = { origin: "https://evil.example" };
    expect((await client.send("/console/signin", { ...form, form_token: token }, foreign)).statusCode).toBe(
      403,
    );
    expect((await client.send("/console/signin", { ...form, form_token: token })).statusCode).toBe(303);
  });
});

describe("a session", () => {
  test("ends with signing out", async () => {
    const client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
    const token = client.cookies.get("paylink_session") ?? "";
    expect((await client.post("/console/test", "/console/signout")).headers.location).toBe("/console/signin");
    expect(client.cookies.has("paylink_session")).toBe(false);
    const again = new ConsoleClient(service, { sessionToken: token });
    expect((await again.get("/console/test")).statusCode).toBe(303);
  });

  test("ends when it was idle for too long, and after its day at the latest", async () => {
    const idle = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
    const busy = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
    expect((await idle.get("/console/test")).statusCode).toBe(200);
    let minutes = 0;
    while ((await busy.get("/console/test")).statusCode === 200) {
      service.clock.advance(10 * MINUTE);
      minutes += 10;
      if (minutes > 24 * 60) break;
    }
    expect(minutes).toBeGreaterThan(120);
    expect(minutes).toBeLessThanOrEqual(24 * 60);
    expect((await idle.get("/console/test")).statusCode).toBe(303);
  });
});
