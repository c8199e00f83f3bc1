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
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { textOf } from "../support/page-text.ts";
import { runCommand } from "../support/process.ts";
import { smtpForFile } from "../support/smtp.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const PATIENCE = { timeout: 20_000, interval: 50 };
const CONSOLE = "https://pay.shop.example/console";

const { receiver, config } = await smtpForFile();
const live = await forFile(startLive({ mail: config, consoleUrl: CONSOLE }));
const { service, bank } = live;
const ports = await forFile(openCorePorts(service.core));
const client = createClient(ReconciliationService, service.core.transport);

// The console's pages have the real time: what is looked at is past by then.
const begun = startOfDay(dayAt(Date.now()).subtract({ days: 8 })) + 12 * HOUR * 1000;
for (const clock of [service.clock, bank.clock]) clock.set(new Date(begun));

const today = () => dayAt(service.clock.nowMs()).toString();

const statementOf = async ({ as }: LiveMerchant, day: string) =>
  (await client.getReconciledDay({ day }, as)).accounts[0]?.statement;

/** Does what the worker does, until the statement of a day is as it is expected to be. */
async function work(merchant: LiveMerchant, day: string, expected: object): Promise<void> {
  await client.readStatementsNow({}, merchant.as);
  // What cannot be read is a fault of the worker's round, too.
  await service.core.tasks.readStatements().catch(() => undefined);
  await vi.waitFor(async () => {
    await service.core.tasks.reconcile();
    expect(await statementOf(merchant, day)).toMatchObject(expected);
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
  await work(merchant, second, { isComplete: true });
  // Nothing of the days before the account was connected is read.
  const eve = Temporal.PlainDate.from(first).subtract({ days: 9 }).toString();
  const { days } = await client.listReconciledDays({ from: eve, to: today() }, merchant.as);
  expect(days.map(({ day }) => day)).toEqual([first, second, today()]);

  const text = /The first day that differs in reconciliation: \d+ \w{3} \d{4}, R\$1\.37, .*…/;
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

test("a statement that cannot be read is told on its day, in words and with the code, until it is read", async () => {
  const merchant = await connectMerchant(live);
  const day = addUnknownMoney(137n);
  const path = `/reconciliation/days/${day}`;
  const own = ["--tenant", merchant.tenant.id, "--mode", "live", "--json"];
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const byCommand = async () => {
    const { stdout } = await runCommand(["reconcile", "day", day, ...own], env);
    return JSON.parse(stdout).statements as unknown[];
  };
  const fails = async (status: number, code: string, fault: string) => {
    const text = JSON.stringify({ type: `https://pix.bcb.gov.br/api/v2/error/${code}`, status });
    bank.faults.draw = (call) => (call === "statement" ? { kind: "text", status, text } : undefined);
    await work(merchant, day, { fault });
    const shown = [await page(merchant, "finance", path), await page(merchant, "finance", path, "pt-BR")];
    return shown.map((body) => / (The last|A última) [^)]*\)/.exec(body)?.[0]);
  };

  const credentials = "misconfigured AcessoNegado";
  expect(await fails(403, "AcessoNegado", credentials)).toEqual([
    ` The last reading failed. The provider refuses the credentials or permissions of the account: verify the account. (${credentials})`,
    ` A última leitura falhou. O provedor recusa as credenciais ou as permissões da conta: verifique a conta. (${credentials})`,
  ]);
  const fault = "unknown ErroInternoDoServidor";
  expect(await fails(500, "ErroInternoDoServidor", fault)).toEqual([
    ` The last reading failed. The provider did not answer as it should. The service goes on trying. (${fault})`,
    ` A última leitura falhou. O provedor não respondeu como devia. O serviço continua tentando. (${fault})`,
  ]);
  const row = { account: merchant.accountId, read_at: null, complete: "no", lines: 0, carries: null };
  expect(await byCommand()).toEqual([{ ...row, fault }]);

  bank.faults.draw = () => undefined;
  await work(merchant, day, { isComplete: true, lineCount: 1 });
  expect((await statementOf(merchant, day))?.fault).toBeUndefined();
  expect(await page(merchant, "finance", path)).not.toContain("The last reading failed");
  expect(await byCommand()).toMatchObject([{ complete: "yes", lines: 1, fault: null }]);
});
