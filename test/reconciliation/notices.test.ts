import { createClient } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { Leg, ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayAt, startOfDay } from "../../contract/day.ts";
import {
  advance,
  connectMerchant,
  startLive,
  type LiveMerchant,
} from "../provider-accounts/live-merchant.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { textOf } from "../support/page-text.ts";
import { smtpForFile } from "../support/smtp.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const PATIENCE = { timeout: 20_000, interval: 50 };
const CONSOLE = "https://pay.shop.example/console";

const { receiver, config } = await smtpForFile();
const live = await forFile(startLive({ mail: config, consoleUrl: CONSOLE }));
const { service, bank } = live;
const client = createClient(ReconciliationService, service.core.transport);

// The console's pages have the real time: what is looked at is past by then.
const begun = startOfDay(dayAt(Date.now()).subtract({ days: 8 })) + 12 * HOUR * 1000;
for (const clock of [service.clock, bank.clock]) clock.set(new Date(begun));

const today = () => dayAt(service.clock.nowMs()).toString();

const statementOf = async ({ as }: LiveMerchant, day: string) =>
  (await client.getReconciledDay({ day }, as)).accounts[0]?.statement;

/** Does what the worker does, until the statement of a day is there. */
async function work(merchant: LiveMerchant, day = today()): Promise<void> {
  await client.readStatementsNow({}, merchant.as);
  await service.core.tasks.readStatements();
  await vi.waitFor(async () => {
    await service.core.tasks.reconcile();
    expect((await statementOf(merchant, day))?.readAt).toBeDefined();
  }, PATIENCE);
}

/** Returns a page as a new user sees it, with one space between words. */
async function page({ tenant }: LiveMerchant, role: "finance" | "developer", path: string, language = "en") {
  const by = new ConsoleClient(service, await createUser(service, tenant.id, role));
  return textOf((await by.get(`/console/live${path}?lang=${language}`)).body);
}

async function mailsTo(user: TestUser): Promise<string[]> {
  advance(live, HOUR);
  await service.core.tasks.writeDigests();
  await service.core.tasks.sendMail();
  return receiver.to(user.email).map(({ parsed }) => parsed.text ?? "");
}

/** Money that came to the key and that no charge of ours explains. */
function addUnknownMoney(amountMinor: bigint): string {
  bank.payKey(amountMinor);
  const day = today();
  advance(live, DAY);
  return day;
}

test("the first page and the e-mail name the first day that differs, until it is explained", async () => {
  const merchant = await connectMerchant(live);
  const [first, second] = [addUnknownMoney(137n), addUnknownMoney(250n)];
  const finance = await createUser(service, merchant.tenant.id, "finance");
  const developer = await createUser(service, merchant.tenant.id, "developer");
  expect(await page(merchant, "finance", "")).not.toContain("differs in reconciliation");
  await work(merchant, second);
  // Nothing of the days before the account was connected is read.
  const eve = Temporal.PlainDate.from(first).subtract({ days: 9 }).toString();
  const { days } = await client.listReconciledDays({ from: eve, to: today() }, merchant.as);
  expect(days.map(({ day }) => day)).toEqual([first, second, today()]);

  const text = /The first day that differs in reconciliation: \w+, \d\d\/\d\d\/\d{4}, R\$1\.37, .*…/;
  expect(await page(merchant, "finance", "")).toMatch(text);
  const home = (await new ConsoleClient(service, finance).get("/console/live")).body;
  expect(home).toContain(`href="/console/live/reconciliation/days/${first}"`);
  expect(await page(merchant, "developer", "")).not.toContain("differs in reconciliation");
  const [mail = ""] = await mailsTo(finance);
  expect(mail).toMatch(/- O primeiro dia que difere na conciliação: .*, R\$\s1,37, .*…/);
  expect(mail).toContain(`\n  ${CONSOLE}/live/reconciliation/days/${first}\n`);
  expect(await mailsTo(developer)).toEqual([]);

  // The next day is the first then, which is no news within a day.
  const { accounts } = await client.getReconciledDay({ day: first }, merchant.as);
  const lineKeys = accounts[0]?.differences[0]?.lines.map(({ key }) => key) ?? [];
  await client.decide({ leg: Leg.BOOKS, lineKeys, reason: "a friend" }, merchant.as);
  expect(await page(merchant, "finance", "", "pt-BR")).toMatch(/difere na conciliação: .*, R\$\s2,50,/);
  expect(await mailsTo(finance)).toHaveLength(1);
});
