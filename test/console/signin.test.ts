import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { codeOf, ConsoleClient, createPerson, type Person } from "../support/console.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const MINUTE = 60;

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
  tenant = await service.createTenant();
});
afterAll(async () => await service.close());

async function signIn(client: ConsoleClient, form: Record<string, string>, headers = {}) {
  return await client.post("/console/signin", "/console/signin", form, headers);
}

/** What the person types now; the code is one that was not used yet. */
function typed({ email, password, totpSecret }: Person): Record<string, string> {
  service.clock.advance(MINUTE);
  return { email, password, code: codeOf(totpSecret, service) };
}

/** A page without what differs between any two of its kind. */
function steady(body: string): string {
  return body.replaceAll(/nonce="[^"]+"|value="[^"]*"/g, "");
}

describe("signing in", () => {
  test("with e-mail, password and code opens a session, whose cookie no script reads", async () => {
    const person = await createPerson(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const answer = await signIn(client, typed(person));
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/console/test"]);
    const session = answer.cookies.find(({ name }) => name === "paylink_session");
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
    expect(session).not.toHaveProperty("secure");
    const home = await client.get("/console/test");
    expect(home.statusCode).toBe(200);
    expect(home.body).toContain(person.name);
  });

  test("leads back to the page that was asked for, and to no other host", async () => {
    const person = await createPerson(service, tenant.id, "owner");
    const back = await signIn(new ConsoleClient(service), {
      ...typed(person),
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
      const answer = await signIn(new ConsoleClient(service), { ...typed(person), next });
      expect([next, answer.statusCode, answer.headers.location]).toEqual([next, 303, "/console/test"]);
    }
  });

  test("is answered alike for an unknown person, a wrong password, a wrong code and a code used twice", async () => {
    const person = await createPerson(service, tenant.id, "developer");
    const good = typed(person);
    expect((await signIn(new ConsoleClient(service), good)).statusCode).toBe(303);
    const bad: Record<string, string>[] = [
      { ...good },
      { ...typed(person), code: "000000" },
      { ...typed(person), password: "not my password at all" },
      { ...typed(person), email: "nobody@example.test" },
      { ...typed(person), password: "", code: "" },
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

  test("is limited, alike for who exists and who does not", async () => {
    const person = await createPerson(service, tenant.id, "viewer");
    const texts = new Map<string, string[]>();
    for (const email of [person.email, "nobody-limited@example.test"]) {
      const seen: string[] = [];
      for (let attempt = 0; attempt < 12; attempt++) {
        const { body } = await signIn(new ConsoleClient(service), {
          ...typed(person),
          email,
          password: "wrong password 123",
        });
        seen.push(body.includes("Muitas tentativas") ? "limited" : "refused");
      }
      texts.set(email, seen);
    }
    const [known, unknown] = [...texts.values()];
    expect(known).toEqual(unknown);
    expect(known?.at(0)).toBe("refused");
    expect(known?.at(-1)).toBe("limited");
    // Also with what would be right.
    expect((await signIn(new ConsoleClient(service), typed(person))).statusCode).toBe(422);
  });

  test("needs the form's own token and our origin", async () => {
    const person = await createPerson(service, tenant.id, "owner");
    const client = new ConsoleClient(service);
    const token = await client.formToken("/console/signin");
    const form = typed(person);
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
    const client = new ConsoleClient(service, await createPerson(service, tenant.id, "owner"));
    const token = client.cookies.get("paylink_session") ?? "";
    expect((await client.post("/console/test", "/console/signout")).headers.location).toBe("/console/signin");
    expect(client.cookies.has("paylink_session")).toBe(false);
    const again = new ConsoleClient(service, { sessionToken: token });
    expect((await again.get("/console/test")).statusCode).toBe(303);
  });

  test("ends when it was idle for too long, and after its day at the latest", async () => {
    const idle = new ConsoleClient(service, await createPerson(service, tenant.id, "owner"));
    const busy = new ConsoleClient(service, await createPerson(service, tenant.id, "owner"));
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

describe("an invitation", () => {
  test("sets password and authenticator once, and signs in", async () => {
    const users = createClient(UsersService, service.core.transport);
    const request = { tenantId: tenant.id, email: "new@example.test", role: Role.FINANCE };
    const { token } = await users.inviteUser(request, service.internal);
    const client = new ConsoleClient(service);
    const page = `/console/invitations/${token}`;
    const { body, statusCode } = await client.get(page);
    expect(statusCode).toBe(200);
    const secret = /<code class="secret">([^<]+)</.exec(body)?.[1]?.replaceAll(" ", "") ?? "";
    const form = { name: "New", password: "a long enough password", code: codeOf(secret, service) };
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
});
