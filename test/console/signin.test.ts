import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { codeOf, ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { Users, tokenHash } from "../support/users.ts";
import { startService } from "../support/service.ts";

const MINUTE = 60;

const service = await forFile(startService());
const tenant = await service.createTenant();

async function signIn(client: ConsoleClient, form: Record<string, string>, headers = {}) {
  return await client.post("/console/signin", "/console/signin", form, headers);
}

/** What the user types now; the code is one that was not used yet. */
function typed({ email, password, totpSecret }: TestUser): Record<string, string> {
  service.clock.advance(MINUTE);
  return { email, password, code: codeOf(totpSecret, service) };
}

/** A page without what differs between any two of its kind. */
function steady(body: string): string {
  return body.replaceAll(/nonce="[^"]+"|value="[^"]*"/g, "");
}

describe("signing in", () => {
  test("with e-mail, password and code opens a session, whose cookie no script reads", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const answer = await signIn(client, typed(user));
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
      ...typed(user),
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
      const answer = await signIn(new ConsoleClient(service), { ...typed(user), next });
      expect([next, answer.statusCode, answer.headers.location]).toEqual([next, 303, "/console/test"]);
    }
  });

  test("is answered alike for an unknown user, a wrong password, a wrong code and a code used twice", async () => {
    const user = await createUser(service, tenant.id, "developer");
    const good = typed(user);
    expect((await signIn(new ConsoleClient(service), good)).statusCode).toBe(303);
    const bad: Record<string, string>[] = [
      { ...good },
      { ...typed(user), code: "000000" },
      { ...typed(user), password: "not my password at all" },
      { ...typed(user), email: "nobody@example.test" },
      { ...typed(user), password: "", code: "" },
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

  test("has to wait after many failures, alike for known and unknown users, and shows how long", async () => {
    const user = await createUser(service, tenant.id, "viewer");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const seen: string[][] = [];
    for (const email of [user.email, "nobody-limited@example.test"]) {
      const outcomes: string[] = [];
      const attempt = async (form: Record<string, string> = {}) => {
        const given = { ...typed(user), email, password: "wrong password 123", ...form };
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
    const { cookies } = await signIn(client, typed(user));
    const known = cookies.find(({ name }) => name === "paylink_browser");
    expect(known).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", maxAge: 180 * 24 * 3600 });
    await client.post("/console/test", "/console/signout");
    expect(client.cookies.get("paylink_browser")).toBe(known?.value);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await signIn(new ConsoleClient(service), { ...typed(user), password: "wrong password 123" });
    await rows.run("UPDATE identity.sign_in_attempt SET allowed_at = $1", [
      service.clock.nowMs() + 10 * MINUTE * 1000,
    ]);
    expect((await signIn(new ConsoleClient(service), typed(user))).statusCode).toBe(429);
    expect((await signIn(client, typed(user))).statusCode).toBe(303);
    expect(client.cookies.get("paylink_browser")).not.toBe(known?.value);
    await rows.run("DELETE FROM identity.sign_in_attempt");
    await rows.close();
  });

  test("needs the form's own token and our origin", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const token = await client.formToken("/console/signin");
    const form = typed(user);
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

describe("a browser whose session has ended", () => {
  const HOUR = 60 * MINUTE;
  const ended: Record<string, (user: TestUser, token: string) => Promise<string>> = {
    "because it was idle": async (_, token) => {
      service.clock.advance(HOUR);
      return token;
    },
    "because its time was over": async (_, token) => {
      const client = new ConsoleClient(service, { sessionToken: token });
      for (let half = 0; half < 24; half++) {
        expect((await client.get("/console/test")).statusCode).toBe(200);
        service.clock.advance(HOUR / 2);
      }
      return token;
    },
    "because another browser ended it": async (user, token) => {
      const users = new Users(service);
      const own = { tokenHash: tokenHash(user.sessionToken) };
      const { sessions } = await users.client.listSessions(own, users.internal);
      const id = sessions.find(({ isCurrent }) => !isCurrent)?.id ?? "";
      await users.client.revokeSession({ ...own, id }, users.internal);
      return token;
    },
    "because its user signed out everywhere": async (user, token) => {
      const users = new Users(service);
      const own = { tokenHash: tokenHash(user.sessionToken) };
      await users.client.signOutEverywhere(own, users.internal);
      return token;
    },
    "because there was none with that token": async () => "x".repeat(43),
    "because its cookie holds no token": async () => "not a token",
  };

  test.each(Object.entries(ended))("%s sees the reason, and signs in", async (_, end) => {
    const user = await createUser(service, tenant.id, "owner");
    const first = new ConsoleClient(service);
    await signIn(first, typed(user));
    const token = await end(user, first.cookies.get("paylink_session") ?? "");
    const client = new ConsoleClient(service);
    const formToken = await client.formToken("/console/signin");
    client.cookies.set("paylink_session", token);
    const answer = await client.send("/console/signin", { ...typed(user), form_token: formToken });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test")).statusCode).toBe(200);
    for (const page of ["/console/test", "/console/signin", "/console"]) {
      client.cookies.set("paylink_session", token);
      await client.get(page);
      expect([page, client.cookies.has("paylink_session")]).toEqual([page, false]);
    }
  });

  test.each(Object.entries(ended))("%s accepts an invitation", async (_, end) => {
    const user = await createUser(service, tenant.id, "owner");
    const first = new ConsoleClient(service);
    await signIn(first, typed(user));
    const token = await end(user, first.cookies.get("paylink_session") ?? "");
    const page = `/console/invitations/${await new Users(service).invite(tenant.id, Role.VIEWER)}`;
    const client = new ConsoleClient(service, { sessionToken: token });
    const secret = secretOn((await client.get(page)).body);
    const form = { name: "New", password: "a long enough password", code: codeOf(secret, service) };
    const answer = await client.post(page, page, form);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test")).statusCode).toBe(200);
  });

  test("is redirected to the sign-in page when it ends before a form is sent", async () => {
    const user = await createUser(service, tenant.id, "owner");
    const clients = [1, 2].map(() => new ConsoleClient(service, user));
    const forms = await Promise.all(
      clients.map(async (client) => ({ form_token: await client.formToken("/console/test") })),
    );
    const answers = await Promise.all(
      clients.map((client, index) => client.send("/console/signout", forms[index] ?? {})),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([303, 303]);
    for (const client of clients) expect(client.cookies.has("paylink_session")).toBe(false);
  });
});

/** The authenticator's key that a page shows. */
function secretOn(body: string): string {
  return /<code class="secret">([^<]+)</.exec(body)?.[1]?.replaceAll(" ", "") ?? "";
}

describe("an invitation", () => {
  test("sets password and authenticator once, and signs in", async () => {
    const users = createClient(UsersService, service.core.transport);
    const request = { tenantId: tenant.id, email: "new@example.test", role: Role.FINANCE };
    const { token } = await users.inviteUser(request, service.internal);
    const client = new ConsoleClient(service);
    const page = `/console/invitations/${token}`;
    const { body, statusCode } = await client.get(page);
    expect(statusCode).toBe(200);
    const form = { name: "New", password: "a long enough password", code: codeOf(secretOn(body), service) };
    const weak = await client.post(page, page, { ...form, password: "short" });
    expect([weak.statusCode, weak.body.includes("field-password-problem")]).toEqual([422, true]);
    const wrong = await client.post(page, page, { ...form, code: "123123" });
    expect(wrong.statusCode).toBe(422);
    const accepted = await client.post(page, page, form);
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test")).body).toContain("Financeiro");
    expect((await new ConsoleClient(service).get(page)).statusCode).toBe(404);
    expect((await new ConsoleClient(service).get("/console/invitations/x")).statusCode).toBe(404);
  });

  test("to an address with an account asks for it, or makes another one that has nothing of it", async () => {
    const squatter = await createUser(service, tenant.id, "owner");
    const other = await service.createTenant();
    const token = await new Users(service).invite(other.id, Role.VIEWER, squatter.email);
    const page = `/console/invitations/${token}`;
    const client = new ConsoleClient(service);
    const asked = (await client.get(page)).body;
    expect(secretOn(asked)).toBe("");
    expect(asked).toContain(`href="${page}?account=new"`);
    const { body } = await client.get(`${page}?account=new`);
    expect(body).toContain(`href="${page}"`);
    const form = { account: "new", name: "Bia", password: "her own long password", code: "000000" };
    const wrong = await client.post(`${page}?account=new`, page, form);
    expect([wrong.statusCode, secretOn(wrong.body)]).toEqual([422, secretOn(body)]);
    const right = { ...form, code: codeOf(secretOn(body), service) };
    const accepted = await client.post(`${page}?account=new`, page, right);
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test/account")).body).toContain("Bia");
    const old = new ConsoleClient(service);
    expect((await signIn(old, typed(squatter))).statusCode).toBe(303);
    expect((await old.post("/console/test", "/console/test/tenant", { tenant: other.id })).statusCode).toBe(
      404,
    );
  });
});
