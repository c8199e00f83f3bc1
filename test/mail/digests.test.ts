import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { digestMail } from "../../src/mail/texts.ts";
import { isDigestDue, saidBy, stillSaid } from "../../src/users/digest.ts";
import { connectMerchant, startLive, type LiveMerchant } from "../provider-accounts/live-merchant.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { endProcess, startWorkerProcess } from "../support/worker.ts";
import { smtpForFile, type ReceivedMail } from "../support/smtp.ts";
import { tokenHash } from "../support/users.ts";

const HOUR = 3600;
const DAY_MS = 86_400_000;
const CONSOLE = "https://pay.shop.example/console";
const PATIENCE = { timeout: 60_000 };

const { receiver, config } = await smtpForFile();
const settings = { mail: config, consoleUrl: CONSOLE };
const live = await forFile(startLive(settings));
const { service } = live;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** Returns the digests that a user has got. */
const digestsOf = ({ email }: TestUser): ReceivedMail[] =>
  receiver.to(email).filter(({ parsed }) => parsed.text?.includes("/live/account") ?? false);

async function round(seconds = 0): Promise<void> {
  service.clock.advance(seconds);
  await service.core.tasks.writeDigests();
  await service.core.tasks.sendMail();
}

let added = 0;
async function addUnknownMoney({ tenant, accountId }: LiveMerchant): Promise<void> {
  added += 1;
  await rows.run(
    `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
     VALUES ($1, $2, $3, 12345, now(), now())`,
    [tenant.id, accountId, `E12345678202611201500${String(added).padStart(11, "0")}`],
  );
}

describe("what needs a person", () => {
  test("goes by e-mail to owners and finance, each with what their role sees, as home has it", async () => {
    const merchant = await connectMerchant(live);
    await addUnknownMoney(merchant);
    const day = new Date(service.clock.nowMs() - 3 * DAY_MS);
    await insertPayments(
      rows,
      merchant.tenant.id,
      randomPayments(2, day, new Date(day.getTime() + 2000)),
      "live",
    );
    const [owner, finance, viewer] = [
      await createUser(service, merchant.tenant.id, "owner"),
      await createUser(service, merchant.tenant.id, "finance"),
      await createUser(service, merchant.tenant.id, "viewer"),
    ];
    await round();
    const [ofOwner] = digestsOf(owner);
    const text = ofOwner?.parsed.text ?? "";
    expect(ofOwner?.parsed.subject).toBe("Pendências de Test: 2");
    expect(text).toContain("Dias a fechar: 1");
    expect(text).toContain(`${CONSOLE}/live/providers/unknown\n`);
    const home = (await new ConsoleClient(service, owner).get("/console/live")).body;
    for (const line of text.split("\n").filter((found) => found.startsWith("- "))) {
      expect(home).toContain(line.slice(2));
    }
    const [ofFinance] = digestsOf(finance);
    expect(ofFinance?.parsed.text).toContain("Dias a fechar: 1");
    expect(ofFinance?.parsed.text).not.toContain("providers");
    expect(digestsOf(viewer)).toEqual([]);
  });

  test("is sent again after a day, or after an hour when there is more of it, and not while it is the same", async () => {
    const merchant = await connectMerchant(live);
    const owner = await createUser(service, merchant.tenant.id, "owner");
    await round();
    expect(digestsOf(owner)).toHaveLength(0);
    await addUnknownMoney(merchant);
    await round(HOUR);
    expect(digestsOf(owner)).toHaveLength(1);
    await addUnknownMoney(merchant);
    await round(60);
    await round(HOUR);
    expect(digestsOf(owner)).toHaveLength(2);
    for (let hour = 1; hour < 24; hour += 1) await round(HOUR);
    expect(digestsOf(owner)).toHaveLength(2);
    await round(HOUR);
    expect(digestsOf(owner)).toHaveLength(3);
  });

  test("is turned off and on by each person, in the language of the page", async () => {
    const merchant = await connectMerchant(live);
    await addUnknownMoney(merchant);
    const [owner, viewer] = [
      await createUser(service, merchant.tenant.id, "owner"),
      await createUser(service, merchant.tenant.id, "viewer"),
    ];
    const page = "/console/live/account?lang=en";
    const turn = async (user: TestUser, on: boolean) => {
      const by = new ConsoleClient(service, user);
      await by.post(page, "/console/live/account/digest", { on: String(on) }, { "accept-language": "en" });
      return (await by.get(page)).body;
    };
    expect(await turn(owner, false)).toContain("Off: what needs attention at Test");
    await rows.run("UPDATE live.provider_account SET certificate_not_after = $2 WHERE id = $1", [
      merchant.accountId,
      new Date(service.clock.nowMs() + 5 * DAY_MS),
    ]);
    expect(await turn(viewer, true)).toContain("On: what needs attention at Test");
    await round();
    expect([digestsOf(owner).length, digestsOf(viewer).length]).toEqual([0, 0]);
    expect(await turn(owner, true)).toContain("On: ");
    const read = { tokenHash: tokenHash(owner.sessionToken) };
    const users = createClient(UsersService, service.core.transport);
    expect(await users.getOwnDigest(read, service.internal)).toMatchObject({ isOn: true, language: "en" });
    await round(HOUR);
    expect(digestsOf(owner)[0]?.parsed.text).toContain("Urgent: The certificate of");
  });

  test("of a tenant that has no account yet is in the console alone", async () => {
    const merchant = await createMerchant(service, {}, "live");
    const owner = await createUser(service, merchant.tenant.id, "owner");
    await round();
    expect((await new ConsoleClient(service, owner).get("/console/live")).body).toContain("Pendências");
    expect(digestsOf(owner)).toEqual([]);
  });
});

test("what ended and comes back is new again, and what became less is not", () => {
  const money = (count: number) => [{ key: "exceptions", path: "/payments/exceptions", count } as const];
  const said = saidBy(money(2));
  expect(isDigestDue(money(2), said, 0, DAY_MS - 1)).toBe(false);
  expect(isDigestDue(money(1), said, 0, DAY_MS - 1)).toBe(false);
  expect(isDigestDue(money(3), said, 0, DAY_MS - 1)).toBe(true);
  expect(isDigestDue(money(2), stillSaid(said, money(1)), 0, DAY_MS - 1)).toBe(true);
  expect(isDigestDue(money(1), stillSaid(said, []), 0, DAY_MS - 1)).toBe(true);
  expect(isDigestDue([], said, 0, DAY_MS)).toBe(false);
});

test("an e-mail names an endpoint by its host alone", () => {
  const url = "https://shop.example:8443/hook/secret-path?token=secret-query";
  const endpoint = { url, failed: 3n, attempts: 4n };
  const needs = [{ key: "failing_endpoint", path: "/webhooks/endpoints/we_1", endpoint } as const];
  const { text } = digestMail({
    to: "a@b.test",
    language: "en",
    tenantName: "Shop",
    needs,
    accounts: [],
    consoleUrl: CONSOLE,
  });
  expect(text).toContain(
    "- shop.example:8443 is not receiving. Attempts that failed in the last 24 hours: 3 of 4",
  );
  expect(text).not.toContain("secret");
});

test("a worker that is killed while it sends loses no e-mail, and one that was taken is known by its id", async () => {
  const merchant = await connectMerchant(live);
  await addUnknownMoney(merchant);
  const owner = await createUser(service, merchant.tenant.id, "owner");
  receiver.mails.length = 0;
  // The worker is killed between the server's acceptance and its answer.
  let isKept = (): void => undefined;
  const kept = new Promise<void>((resolve) => (isKept = resolve));
  receiver.afterKept = async () => {
    isKept();
    await new Promise(() => undefined);
  };
  await service.core.tasks.writeDigests();
  const makeDue = async () => await rows.run("UPDATE identity.mail SET due_at = '2020-01-01'");
  await makeDue();
  const first = await startWorkerProcess(service.databaseUrl, settings);
  await kept;
  await endProcess(first, "SIGKILL");
  receiver.afterKept = () => undefined;
  expect(await rows.count("identity.mail")).toBeGreaterThan(0);
  const second = await startWorkerProcess(service.databaseUrl, settings);
  await makeDue();
  await expect.poll(async () => await rows.count("identity.mail"), PATIENCE).toBe(0);
  await endProcess(second, "SIGTERM");
  const digests = digestsOf(owner);
  expect(digests.length).toBeGreaterThan(0);
  expect(new Set(digests.map(({ parsed }) => parsed.messageId)).size).toBe(1);
});
