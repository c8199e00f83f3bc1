import { beforeEach, describe, expect, test } from "vitest";
import { browserName } from "../../gateway/console/account/browser-name.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { PASSWORD, Users } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const PATH = "/console/test/account";
const NEW_PASSWORD = "another horse battery staple";

const service = await forFile(startService());
const users = new Users(service);
const tenant = await service.createTenant();
let user: TestUser;
let client: ConsoleClient;
beforeEach(async () => {
  user = await createUser(service, tenant.id, "viewer");
  client = new ConsoleClient(service, user);
});
/** One more session of the user. */
async function another(userAgent = ""): Promise<ConsoleClient> {
  const code = users.nextCode(user.totpSecret);
  const given = { email: user.email, password: PASSWORD, code, address: "192.0.2.7", userAgent };
  const { sessionToken } = await users.client.signIn(given, users.internal);
  return new ConsoleClient(service, { sessionToken });
}
const isSignedIn = async (browser: ConsoleClient) => (await browser.get("/console/test")).statusCode === 200;

describe("sessions", () => {
  test("are listed with browser, address and which of them this is, and ended one by one", async () => {
    const firefox = await another("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0");
    const { body } = await client.get(PATH);
    expect(body).toContain("Firefox 143 em Linux");
    expect(body).toContain("192.0.2.7");
    expect(body.match(/esta sessão/g)).toHaveLength(1);
    const [, id = ""] = /account\/sessions\/(ses_\w+)/.exec(body) ?? [];
    const { headers } = await client.post(PATH, `${PATH}/sessions/${id}`);
    expect(headers.location).toBe(`${PATH}?done=ended`);
    expect([await isSignedIn(firefox), await isSignedIn(client)]).toEqual([false, true]);
  });

  test("of another user are unknown", async () => {
    const stranger = new ConsoleClient(service, await createUser(service, tenant.id, "viewer"));
    await another();
    const [, id = ""] = /account\/sessions\/(ses_\w+)/.exec((await client.get(PATH)).body) ?? [];
    expect((await stranger.post(PATH, `${PATH}/sessions/${id}`)).statusCode).toBe(404);
    expect((await client.get(PATH)).body).toContain(id);
  });

  test("all end at once, this one too", async () => {
    const other = await another();
    const { headers } = await client.post(PATH, `${PATH}/signout`);
    expect(headers.location).toBe("/console/signin");
    expect([await isSignedIn(other), await isSignedIn(client)]).toEqual([false, false]);
  });

  test("have a browser's name that stays a text", async () => {
    await another(HOSTILE);
    const { body } = await client.get(PATH);
    expect(body).toContain(HOSTILE_ESCAPED.slice(0, 20));
    expect(body).not.toContain("<script>alert");
  });
});

describe("the password", () => {
  const change = async (form: Record<string, string> = {}) =>
    await client.post(PATH, `${PATH}/password`, {
      password: PASSWORD,
      new_password: NEW_PASSWORD,
      again: NEW_PASSWORD,
      ...form,
    });

  test("is changed, and other sessions end", async () => {
    const other = await another();
    const { statusCode, headers } = await change();
    expect([statusCode, headers.location]).toEqual([303, `${PATH}?done=password`]);
    expect([await isSignedIn(other), await isSignedIn(client)]).toEqual([false, true]);
    expect((await change()).statusCode).toBe(422);
    expect(
      (await change({ password: NEW_PASSWORD, new_password: PASSWORD, again: PASSWORD })).statusCode,
    ).toBe(303);
  });

  test.each([
    ["the old one wrong", { password: "wrong" }, "field-password"],
    ["the new one short", { new_password: "short", again: "short" }, "field-new_password"],
    ["two that differ", { again: "yet another horse battery" }, "field-again"],
  ])("stays as it is with %s, and no password is on the page", async (_, wrong, field) => {
    const other = await another();
    const { statusCode, body } = await change(wrong);
    expect(statusCode).toBe(422);
    expect(body).toContain(`id="${field}-problem"`);
    for (const text of [PASSWORD, NEW_PASSWORD]) expect(body).not.toContain(text);
    expect(await isSignedIn(other)).toBe(true);
  });
});

test("a user of two companies changes from one to the other", async () => {
  const other = await service.createTenant();
  await users.joinAlso({ ...user, id: "", secret: user.totpSecret, token: user.sessionToken }, other.id);
  const { headers } = await client.post("/console/test", "/console/test/tenant", { tenant: other.id });
  expect(headers.location).toBe("/console/test");
  expect((await client.get(PATH)).body).toContain("(Proprietário)");
  expect((await client.get("/console/test/settings")).body).toContain("/console/test/settings/company");
  const foreign = await service.createTenant();
  const refused = await client.post("/console/test", "/console/test/tenant", { tenant: foreign.id });
  expect(refused.statusCode).toBe(404);
});

test.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    "Edge 140",
    "Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Safari 18",
    "macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Safari 18",
    "iPhone",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Chrome 140",
    "Android",
  ],
])("%s is called by its name", (userAgent, browser, system) => {
  expect(browserName(userAgent)).toEqual({ browser, system });
  expect(browserName("curl/8.5.0")).toBeUndefined();
});
