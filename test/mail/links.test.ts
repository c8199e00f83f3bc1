import { describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD, tokenHash, Users, type TestUser } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";
import { smtpForFile } from "../support/smtp.ts";

const NEW_PASSWORD = "another horse battery staple";
const CONSOLE = "https://pay.shop.example/console";

const { receiver, config } = await smtpForFile();
const settings = { mail: config, consoleUrl: CONSOLE };
const service = await forFile(startService("direct", settings));
const silent = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
service.clock.stop();
const users = new Users(service);
const tenant = await service.createTenant();
const sendMail = async () => {
  await service.core.tasks.answerResets();
  await service.core.tasks.sendMail();
};

/** Returns the token of the link in the newest e-mail to an address. */
function tokenIn(email: string, kind: "invitations" | "reset"): string {
  const text = receiver.to(email).at(-1)?.parsed.text ?? "";
  return new RegExp(`${CONSOLE}/${kind}/([\\w-]{43})\\n`).exec(text)?.[1] ?? "";
}

/** Returns the tokens of the links to a new password that were sent to an address, oldest first. */
function resetsOf(email: string): string[] {
  return receiver.to(email).flatMap(({ parsed }) => {
    const [, token] = new RegExp(`${CONSOLE}/reset/([\\w-]{43})\\n`).exec(parsed.text ?? "") ?? [];
    return token === undefined ? [] : [token];
  });
}

async function askFor(email: string, address = ""): Promise<string> {
  const answer = await codeOf(users.client.requestPasswordReset({ email, address }, users.internal));
  await sendMail();
  return answer;
}

async function reset(token: string, user: TestUser, given: { code?: string; password?: string } = {}) {
  const { code = users.nextCode(user.secret), password = NEW_PASSWORD } = given;
  return await users.client.resetPassword({ tokenHash: tokenHash(token), password, code }, users.internal);
}

describe("an invitation", () => {
  test("goes to its address, and the console says so and shows it too", async () => {
    const owner = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
    const email = users.newEmail();
    const page = "/console/test/people/invite?lang=en";
    const form = { email, role: "viewer", own_password: PASSWORD, password: PASSWORD };
    const { body } = await owner.post(page, "/console/test/people/invite", form);
    expect(body).toContain(`sent to ${email} by e-mail`);
    await sendMail();
    const [invited] = receiver.to(email);
    expect(invited?.parsed.subject).toBe("Invitation to Test");
    const token = tokenIn(email, "invitations");
    expect(body).toContain(`/console/invitations/${token}`);
    expect(await users.invitation(token)).toMatchObject({ email, role: Role.VIEWER });
    expect(await rows.count("identity.mail")).toBe(0);
  });

  test("is stored encrypted until it is sent, and in the language of who invites", async () => {
    const email = users.newEmail();
    const invited = { tenantId: tenant.id, email, role: Role.VIEWER };
    const { token, isMailed } = await users.client.inviteUser(invited, users.internal);
    expect(isMailed).toBe(true);
    const stored = JSON.stringify(await rows.read("SELECT * FROM identity.mail"));
    for (const secret of [token, email, "Convite"]) expect(stored).not.toContain(secret);
    await sendMail();
    expect(receiver.to(email)[0]?.parsed.subject).toBe("Convite para Test");
  });

  test("to new secrets goes to the member in the member's language", async () => {
    const user = await users.join(tenant.id, Role.VIEWER);
    await rows.run(`UPDATE identity."user" SET language = 'en' WHERE id = $1`, [user.id]);
    const asked = { tenantId: tenant.id, userId: user.id };
    expect((await users.client.resetUser(asked, users.internal)).isMailed).toBe(true);
    await sendMail();
    expect(receiver.to(user.email).at(-1)?.parsed.subject).toBe("New access to Test");
    expect(tokenIn(user.email, "invitations")).not.toBe("");
  });
});

describe("a password that is forgotten", () => {
  test("is set anew by a link that works once, with the code, and ends all sessions", async () => {
    const user = await users.join(tenant.id);
    expect(await askFor(user.email.toUpperCase())).toBe("ok");
    const token = tokenIn(user.email, "reset");
    expect(await codeOf(reset(token, user, { code: "000000" }))).toBe("code_refused");
    expect(await codeOf(reset(token, user, { password: "short" }))).toBe("invalid_request");
    const { sessionToken } = await reset(token, user);
    expect((await users.sessionOf(sessionToken)).session?.user?.id).toBe(user.id);
    expect(await codeOf(users.sessionOf(user.token))).toBe("invalid_session");
    expect(await codeOf(reset(token, user))).toBe("invitation_not_found");
    expect(await codeOf(users.signIn(user))).toBe("sign_in_refused");
    expect(await codeOf(users.signIn(user, { password: NEW_PASSWORD }))).toBe("ok");
  });

  test("of an address without an account has the same answer, and no e-mail", async () => {
    const email = users.newEmail();
    const [known] = [await users.join(tenant.id)];
    const page = "/console/reset?lang=en";
    const answers = [];
    for (const asked of [email, known.email]) {
      const { statusCode, body } = await new ConsoleClient(service).post(page, "/console/reset", {
        email: asked,
      });
      answers.push([statusCode, body.replaceAll(/nonce="[^"]+"|value="[^"]+"/g, "")]);
    }
    expect(answers[0]).toEqual(answers[1]);
    await sendMail();
    expect([receiver.to(email).length, resetsOf(known.email).length]).toEqual([0, 1]);
  });

  test("ends after half an hour, after another change of the password, and at once for both of two uses", async () => {
    const user = await users.join(tenant.id);
    await askFor(user.email);
    const late = tokenIn(user.email, "reset");
    service.clock.advance(30 * 60 + 1);
    expect(await codeOf(reset(late, user))).toBe("invitation_not_found");
    await askFor(user.email);
    await askFor(user.email);
    const [first = "", second = ""] = resetsOf(user.email).slice(-2);
    const code = users.nextCode(user.secret);
    const both = await Promise.all(
      [first, second].map(async (token) => await codeOf(reset(token, user, { code }))),
    );
    expect(both.toSorted()).toEqual(["invitation_not_found", "ok"]);
    expect(await codeOf(reset(first, user))).toBe("invitation_not_found");
  });

  test("is sent within a minute after the server was away, however long that was", async () => {
    const user = await users.join(tenant.id);
    receiver.beforeTaken = () => {
      throw Object.assign(new Error("later"), { responseCode: 451 });
    };
    await askFor(user.email);
    for (let minute = 1; minute <= 20; minute++) {
      service.clock.advance(60);
      await sendMail();
    }
    expect(resetsOf(user.email)).toEqual([]);
    receiver.beforeTaken = () => undefined;
    service.clock.advance(60);
    await sendMail();
    expect(resetsOf(user.email)).toHaveLength(1);
  });

  test("is asked for a few times, for known and unknown addresses alike, and its code tried a few times", async () => {
    const user = await users.join(tenant.id);
    for (const email of [user.email, users.newEmail()]) {
      const answers = [];
      for (let count = 0; count < 5; count += 1) answers.push(await askFor(email));
      expect(answers).toEqual(["ok", "ok", "ok", "too_many_attempts", "too_many_attempts"]);
    }
    const token = tokenIn(user.email, "reset");
    const tried = [];
    for (let attempt = 0; attempt < 6; attempt += 1)
      tried.push(await codeOf(reset(token, user, { code: "000000" })));
    expect(tried).toEqual([...Array.from({ length: 5 }, () => "code_refused"), "too_many_attempts"]);
  });

  test("of one address has a link for each account, with its companies", async () => {
    const user = await users.join(tenant.id);
    const other = await users.joinAnew(
      (await service.createTenant()).id,
      user.email,
      "a horse of another staple",
    );
    await askFor(user.email);
    const sent = resetsOf(user.email);
    expect(sent).toHaveLength(2);
    const outcomes = [];
    for (const token of sent) outcomes.push(await codeOf(reset(token, other)));
    expect(outcomes.toSorted()).toEqual(["code_refused", "ok"]);
  });

  test("is asked for and set on the pages", async () => {
    const user = await users.join(tenant.id);
    const by = new ConsoleClient(service);
    expect((await by.get("/console/signin?lang=en")).body).toContain("I forgot my password");
    expect((await by.post("/console/reset", "/console/reset", { email: "nothing" })).statusCode).toBe(422);
    await by.post("/console/reset", "/console/reset", { email: user.email });
    await sendMail();
    const page = `/console/reset/${tokenIn(user.email, "reset")}`;
    const wrong = await by.post(page, page, { password: "short", code: "1" });
    expect(wrong.statusCode).toBe(422);
    const code = users.nextCode(user.secret);
    const done = await by.post(page, page, { password: NEW_PASSWORD, code });
    expect([done.statusCode, done.headers.location]).toEqual([303, "/console/test"]);
    expect((await by.get("/console/test/account")).body).toContain(user.email);
    expect((await new ConsoleClient(service).get(page)).statusCode).toBe(404);
  });
});

test("without a server nothing is sent, and no page offers it", async () => {
  const quiet = new Users(silent);
  const { id } = await silent.createTenant();
  const invited = { tenantId: id, email: quiet.newEmail(), role: Role.VIEWER };
  expect((await quiet.client.inviteUser(invited, quiet.internal)).isMailed).toBe(false);
  await quiet.client.requestPasswordReset({ email: invited.email }, quiet.internal);
  const by = new ConsoleClient(silent, await createUser(silent, id, "owner"));
  expect((await by.get("/console/reset")).statusCode).toBe(404);
  expect((await new ConsoleClient(silent).get("/console/signin?lang=en")).body).not.toContain(
    "/console/reset",
  );
  expect((await by.get("/console/test/account?lang=en")).body).not.toContain("by e-mail");
});

test("two workers send each e-mail once", async () => {
  const other = await forFile(secondService(service, settings));
  const emails = Array.from({ length: 8 }, () => users.newEmail());
  for (const email of emails) await users.invite(tenant.id, Role.VIEWER, email);
  await Promise.all([sendMail(), other.core.tasks.sendMail()]);
  expect(emails.map((email) => receiver.to(email).length)).toEqual(emails.map(() => 1));
});
