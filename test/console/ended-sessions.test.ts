import { describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { codeOf, ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { Users, tokenHash } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { secretOn, signIn, typed } from "./sign-in-form.ts";

const HOUR = 3600;

const service = await forFile(startService());
const tenant = await service.createTenant();

describe("a browser whose session has ended", () => {
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
    await signIn(first, typed(service, user));
    const token = await end(user, first.cookies.get("paylink_session") ?? "");
    const client = new ConsoleClient(service);
    const formToken = await client.formToken("/console/signin");
    client.cookies.set("paylink_session", token);
    const answer = await client.send("/console/signin", { ...typed(service, user), form_token: formToken });
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
    await signIn(first, typed(service, user));
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
