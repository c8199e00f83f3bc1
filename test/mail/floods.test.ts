import { beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { smtpForFile } from "../support/smtp.ts";
import { Users } from "../support/users.ts";

const HOUR = 3600;
const PATIENCE = { timeout: 30_000 };

const { receiver, config } = await smtpForFile();
const settings = { mail: config, consoleUrl: "https://pay.shop.example/console" };
const service = await forFile(startService("direct", settings));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
service.clock.stop();
const users = new Users(service);
const sendMail = async () => await service.core.tasks.sendMail();
const newTenant = async () => (await service.createTenant()).id;
const invite = async (tenantId: string, email = users.newEmail()) =>
  await codeOf(users.invite(tenantId, Role.VIEWER, email));
const inviteMany = async (tenantId: string, count: number) =>
  await Promise.all(Array.from({ length: count }, async () => await invite(tenantId)));
const isOk = (code: string) => code === "ok";

beforeEach(async () => {
  await rows.run("DELETE FROM identity.mail");
  receiver.mails.length = 0;
});

describe("links by e-mail", () => {
  test("to one address are three in an hour for a tenant, which writes nothing above it, and the console says when", async () => {
    const tenantId = await newTenant();
    const owner = await createUser(service, tenantId, "owner");
    const client = new ConsoleClient(service, owner);
    await rows.run("DELETE FROM identity.mail");
    const [email, page] = [users.newEmail(), "/console/test/people/invite?lang=en"];
    const post = async () =>
      await client.post(page, "/console/test/people/invite", {
        email,
        role: "viewer",
        password: owner.password,
      });
    for (let count = 0; count < 3; count += 1) expect((await post()).statusCode).toBe(200);
    const written = async () => [
      await rows.read("SELECT * FROM identity.mail"),
      await rows.read("SELECT * FROM identity.invitation WHERE email = $1 ORDER BY id", [email]),
    ];
    const before = await written();
    const { statusCode, body, headers } = await post();
    expect([statusCode, headers["retry-after"]]).toEqual([422, String(HOUR)]);
    expect(body).toContain("Try again in 60 min.");
    expect(await refusalOf(users.invite(tenantId, Role.VIEWER, email))).toMatchObject({
      status: "ResourceExhausted",
      code: "too_many_emails",
    });
    expect(await written()).toEqual(before);
    expect(await invite(await newTenant(), email)).toBe("ok");
    service.clock.advance(HOUR);
    expect([await invite(tenantId, email), await invite(tenantId, email)]).toEqual(["ok", "too_many_emails"]);
  });

  test("to new secrets count as well, but for the operator's", async () => {
    const tenantId = await newTenant();
    const { id: userId } = await users.join(tenantId);
    const reset = async (isOperator = false) =>
      await codeOf(users.client.resetUser({ tenantId, userId, isOperator }, users.internal));
    expect([await reset(), await reset(), await reset()]).toEqual(["ok", "ok", "too_many_emails"]);
    expect(await reset(true)).toBe("ok");
  });

  test("of a tenant are many at once, then few in an hour, and another tenant's are not fewer", async () => {
    const tenantId = await newTenant();
    expect((await inviteMany(tenantId, 199)).every(isOk)).toBe(true);
    expect((await inviteMany(tenantId, 3)).toSorted()).toEqual(["ok", "too_many_emails", "too_many_emails"]);
    expect(await invite(await newTenant())).toBe("ok");
    service.clock.advance(60);
    expect([await invite(tenantId), await invite(tenantId)]).toEqual(["ok", "too_many_emails"]);
  });
});

describe("the e-mail of a link that waits is not sent when the link", () => {
  const email = users.newEmail();

  /** Returns the links that are sent to an address. */
  async function sentTo(address: string): Promise<string[]> {
    await sendMail();
    return receiver
      .to(address)
      .map(({ parsed }) => /\/invitations\/([\w-]{43})/.exec(parsed.text ?? "")?.[1] ?? "");
  }

  test("is replaced by a new one, whose e-mail is", async () => {
    const tenantId = await newTenant();
    await users.invite(tenantId, Role.VIEWER, email);
    const token = await users.invite(tenantId, Role.FINANCE, email);
    expect(await sentTo(email)).toEqual([token]);
  });

  test("is revoked", async () => {
    const tenantId = await newTenant();
    await users.invite(tenantId, Role.VIEWER, email);
    const { invitations } = await users.client.listMembers({ tenantId }, users.internal);
    await users.client.revokeInvitation({ tenantId, id: invitations[0]?.id ?? "" }, users.internal);
    expect(await sentTo(email)).toEqual([]);
  });

  test("is used, or ends with its member's role", async () => {
    const tenantId = await newTenant();
    const { id: userId, email: joined } = await users.join(tenantId, Role.VIEWER);
    await users.client.resetUser({ tenantId, userId }, users.internal);
    await users.client.changeMemberRole({ tenantId, userId, role: Role.FINANCE }, users.internal);
    expect(await sentTo(joined)).toEqual([]);
  });
});

// The last one: with its worker the service ends its sending.
test("while one tenant's line is long, each user's reset and another's invitation go before most of it", async () => {
  const [flooding, other] = [await newTenant(), await newTenant()];
  const [ofOther, ofFlooding] = [await users.join(other), await users.join(flooding)];
  await rows.run("DELETE FROM identity.mail");
  expect((await inviteMany(flooding, 60)).every(isOk)).toBe(true);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.afterKept = async () => await released;
  const worker = service.core.startWorker();
  await expect.poll(() => receiver.mails.length, PATIENCE).toBe(3);
  for (const { email } of [ofOther, ofFlooding])
    await users.client.requestPasswordReset({ email }, users.internal);
  const invited = users.newEmail();
  expect(await invite(other, invited)).toBe("ok");
  // They are answered while no e-mail gets on: a silent server is given up after 15 s.
  await expect.poll(async () => await rows.count("identity.password_reset"), { timeout: 12_000 }).toBe(2);
  release();
  const places = () =>
    [ofOther.email, ofFlooding.email, invited].map((email) =>
      receiver.mails.findIndex(({ recipients }) => recipients.includes(email)),
    );
  await expect.poll(() => Math.min(...places()), PATIENCE).toBeGreaterThanOrEqual(0);
  await worker.stop();
  receiver.afterKept = () => undefined;
  expect(Math.max(...places())).toBeLessThan(30);
});
