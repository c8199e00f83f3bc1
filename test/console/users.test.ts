import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { Users, tokenHash } from "../support/users.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const PATH = "/console/test/people";
const LINK = /value="http:\/\/127\.0\.0\.1:8080(\/console\/invitations\/([\w-]{43}))"/;

const service = await forFile(startService());
const users = new Users(service);
let tenant: TestTenant;
let owner: TestUser;
let client: ConsoleClient;
beforeEach(async () => {
  tenant = await service.createTenant();
  owner = await createUser(service, tenant.id, "owner");
  client = new ConsoleClient(service, owner);
});
const listed = async () => await users.client.listMembers({ tenantId: tenant.id }, users.internal);
const send = async (path: string, form: Record<string, string> = {}) =>
  await client.post(`${PATH}${path}`, `${PATH}${path}`, { password: owner.password, ...form });
const idOf = async (user: TestUser) =>
  (await listed()).members.find(({ email }) => email === user.email)?.userId ?? "";

describe("an invitation", () => {
  test("is a link, shown once, with which the user joins in that role", async () => {
    const { statusCode, body } = await send("/invite", { email: " Bia@Example.test ", role: "finance" });
    expect(statusCode).toBe(200);
    const [, path = "", token = ""] = LINK.exec(body) ?? [];
    expect((await new ConsoleClient(service).get(path)).body).toContain("bia@example.test");
    expect(await users.client.getInvitation({ tokenHash: tokenHash(token) }, users.internal)).toMatchObject({
      email: "bia@example.test",
      role: Role.FINANCE,
    });
    const page = (await client.get(PATH)).body;
    expect(page).toContain("bia@example.test");
    expect(page).not.toContain(token);
  });

  test.each([
    ["no address", { email: "" }, "E-mail: Preencha este campo."],
    ["a text that is no address", { email: "bia at example" }, "E-mail: Escreva um endereço de e-mail."],
    ["no role that there is", { role: "king" }, "Papel: Este valor não é aceito."],
    ["a wrong password", { password: "wrong" }, "Sua senha: Senha incorreta."],
  ])(
    "is not made with %s; what was typed stays, and the summary names the field",
    async (_, wrong, summary) => {
      const form = { email: "bia@example.test", role: "finance", ...wrong };
      const { statusCode, body } = await send("/invite", form);
      expect(statusCode).toBe(422);
      expect(body).toContain('role="alert"');
      expect(body).toContain(`value="${form.email}"`);
      expect(body).toContain(`>${summary}</a>`);
      expect((await listed()).invitations).toEqual([]);
    },
  );

  test("of a member is refused in words", async () => {
    const { statusCode, body } = await send("/invite", { email: owner.email, role: "viewer" });
    expect([statusCode, body.includes("já é membro") || body.includes("já faz parte")]).toEqual([422, true]);
  });

  test("ends when it is revoked", async () => {
    const token = await users.invite(tenant.id, Role.VIEWER);
    const id = (await listed()).invitations[0]?.id ?? "";
    const { headers } = await send(`/invitations/${id}/revoke`);
    expect(headers.location).toBe(`${PATH}?done=revoked`);
    expect((await new ConsoleClient(service).get(`/console/invitations/${token}`)).statusCode).toBe(404);
    expect((await client.get(`${PATH}/invitations/${id}/revoke`)).statusCode).toBe(404);
  });
});

test("open invitations have twenty rows a page, which lead on and back beside the members", async () => {
  const emails = Array.from({ length: 45 }, (_, index) => `guest-${index}@example.test`);
  for (const email of emails) await users.invite(tenant.id, Role.VIEWER, email);
  const shownAt = async (path: string) => {
    const { body } = await client.get(path);
    expect(body).toContain(owner.email);
    const invited = body.slice(body.lastIndexOf("<h2>"));
    const link = (rel: string): string =>
      new RegExp(`rel="${rel}" href="([^"]+)"`).exec(invited)?.[1]?.replaceAll("&amp;", "&") ?? "";
    return {
      emails: emails.filter((email) => invited.includes(`>${email}<`)),
      rows: /Linhas \d+ a \d+ de \d+/.exec(invited)?.[0],
      next: link("next"),
      prev: link("prev"),
    };
  };
  const first = await shownAt(PATH);
  expect(first).toMatchObject({ emails: emails.slice(0, 20), rows: "Linhas 1 a 20 de 45", prev: "" });
  const second = await shownAt(first.next);
  expect(second).toMatchObject({ emails: emails.slice(20, 40), rows: "Linhas 21 a 40 de 45" });
  const third = await shownAt(second.next);
  expect(third).toMatchObject({ emails: emails.slice(40), rows: "Linhas 41 a 45 de 45", next: "" });
  expect(await shownAt(third.prev)).toEqual(second);
  expect((await shownAt(second.prev)).emails).toEqual(first.emails);
  expect((await shownAt(`${PATH}?invited=x`)).emails).toEqual(first.emails);
});

describe("a member", () => {
  let member: TestUser;
  let id: string;
  beforeEach(async () => {
    member = await createUser(service, tenant.id, "viewer");
    id = await idOf(member);
  });

  test("gets another role, which holds from their next click on", async () => {
    const theirs = new ConsoleClient(service, member);
    expect((await theirs.get("/console/test/keys")).statusCode).toBe(403);
    const { headers } = await send(`/${id}/role`, { role: "developer" });
    expect(headers.location).toBe(`${PATH}?done=role`);
    expect((await theirs.get("/console/test/keys")).statusCode).toBe(200);
  });

  test("is removed, and is signed out at once", async () => {
    const theirs = new ConsoleClient(service, member);
    expect((await theirs.get("/console/test")).statusCode).toBe(200);
    await send(`/${id}/remove`);
    expect((await theirs.get("/console/test")).statusCode).toBe(303);
    expect((await client.get(PATH)).body).not.toContain(member.email);
  });

  test("gets a link to a new password, once", async () => {
    const { body } = await send(`/${id}/reset`);
    const [, path = ""] = LINK.exec(body) ?? [];
    expect((await new ConsoleClient(service).get(path)).body).toContain(member.email);
    expect(body).toContain(member.email);
  });

  test("of other companies too gets none from here", async () => {
    await users.joinAlso(
      { ...member, id, secret: member.totpSecret, token: member.sessionToken },
      (await service.createTenant()).id,
    );
    const { statusCode, body } = await send(`/${id}/reset`);
    expect(statusCode).toBe(422);
    expect(body).not.toMatch(LINK);
  });

  test.each(["role", "remove", "reset"])(
    "stays as they are when the password is wrong (%s)",
    async (step) => {
      const before = await listed();
      const { statusCode, body } = await send(`/${id}/${step}`, { role: "owner", password: "wrong" });
      expect(statusCode).toBe(422);
      expect(body).toContain("Senha incorreta.");
      expect(await listed()).toEqual(before);
    },
  );

  test("has a name that stays a text", async () => {
    const invited = tokenHash(await users.invite(tenant.id, Role.VIEWER));
    const { totpSecret = "" } = await users.client.getInvitation({ tokenHash: invited }, users.internal);
    await users.client.acceptInvitation(
      { tokenHash: invited, name: HOSTILE, password: owner.password, code: users.codeOf(totpSecret) },
      users.internal,
    );
    const hostile = (await listed()).members.find(({ name }) => name === HOSTILE)?.userId;
    for (const path of ["", `/${hostile}`, `/${hostile}/role`, `/${hostile}/remove`, `/${hostile}/reset`]) {
      const { body } = await client.get(`${PATH}${path}`);
      expect(body).toContain(HOSTILE_ESCAPED);
      expect(body).not.toContain("<script>alert");
    }
  });
});

test("the last owner stays one, and the page shows why", async () => {
  const id = await idOf(owner);
  for (const [step, form] of [
    ["remove", {}],
    ["role", { role: "viewer" }],
  ] as const) {
    const { statusCode, body } = await send(`/${id}/${step}`, form);
    expect([statusCode, body.includes('role="alert"')]).toEqual([422, true]);
  }
  expect((await listed()).members).toMatchObject([{ role: Role.OWNER }]);
});

test("users and invitations of another company are unknown", async () => {
  const other = await service.createTenant();
  const stranger = await createUser(service, other.id, "viewer");
  await users.invite(other.id, Role.VIEWER);
  const theirs = await users.client.listMembers({ tenantId: other.id }, users.internal);
  const [invitation] = theirs.invitations;
  const userId = theirs.members.find(({ email }) => email === stranger.email)?.userId;
  for (const path of [
    `/${userId}`,
    `/${userId}/role`,
    `/${userId}/remove`,
    `/${userId}/reset`,
    `/invitations/${invitation?.id}/revoke`,
  ]) {
    expect([path, (await client.get(`${PATH}${path}`)).statusCode]).toEqual([path, 404]);
    if (path === `/${userId}`) continue;
    const form = { password: owner.password, role: "owner" };
    const answer = await client.post(`${PATH}/invite`, `${PATH}${path}`, form);
    expect([path, answer.statusCode]).toEqual([path, 404]);
  }
  expect(await users.client.listMembers({ tenantId: other.id }, users.internal)).toEqual(theirs);
});
