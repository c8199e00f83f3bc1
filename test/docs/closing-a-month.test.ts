import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { csvOf, MAPPING, ofxOf } from "../../cli/commands/demo-month/bank-files.ts";
import { BankPath, ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { formsOn } from "../console/form-walk.ts";
import { faultOf } from "../support/command-line.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { tableUnder } from "../support/markdown.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const ENGLISH = { "accept-language": "en" };
const ROOM = "/console/test/reconciliation";
const NEW = `${ROOM}/accounts/new`;

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "closing-a-month.md"), "utf8");
const service = await forFile(startService());

/** Returns the fields of a form as they are sent that has these texts beside these labels. */
function filled(body: string, rows: readonly string[][]): Record<string, string> {
  const form = formsOn(NEW, body).find(({ action }) => action === NEW);
  const values = new Map(form?.fields.map(({ name, value }) => [name, value]));
  for (const [label = "", text = ""] of rows) {
    const [, name = ""] = new RegExp(`<label for="field-(\\w+)">${label}</label>`).exec(body) ?? [];
    expect([label, values.has(name)]).toEqual([label, true]);
    const [, select] = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, "s").exec(body) ?? [];
    const [, option] =
      new RegExp(`<option value="(\\w+)"[^>]*>\\s*${text}\\s*</option>`).exec(select ?? "") ?? [];
    values.set(name, select === undefined ? text : (option ?? "not an option"));
  }
  return Object.fromEntries(values);
}

// Those of blocks, and those in sentences that are whole.
const COMMAND = /(?:^ {4}npx |`npx (?=[^`]*\$T))(paylink [^#\n`]+)/gm;
test.each([...page.matchAll(COMMAND)].map(([, line = ""]) => line.trim()))("%s would run", (line) => {
  const whole = line.replace("$T", "--tenant ten_1 --mode test").replaceAll("YYYY-MM", "2026-01");
  expect(faultOf(whole.replace("-DD", "-31"))).toBeNull();
});

test("the console's steps make an account that reads both files of the demo month", async () => {
  const { tenant, as } = await createMerchant(service);
  const by = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
  const { body } = await by.get(NEW, ENGLISH);
  const form = filled(body, tableUnder(page, "| field of step 2 |"));
  expect((await by.post(NEW, NEW, form, ENGLISH)).headers.location).toBe(`${ROOM}/accounts?done=saved`);
  const client = createClient(ReconciliationService, service.core.transport);
  const [account] = (await client.listBankAccounts({}, as)).bankAccounts;
  expect(account).toMatchObject({ name: "Bank", providerAccountId: "sandbox", path: BankPath.LINE });
  expect(JSON.parse(account?.mapping ?? "")).toEqual(MAPPING);

  const line = { day: "2026-01-15", amountMinor: 9_863n, text: "PIX RECEBIDO", bankId: "1" };
  const files = { "bank-first-half.ofx": ofxOf([line]), "bank-second-half.csv": csvOf([line]) };
  let seen = "";
  const address = `${ROOM}/accounts/${account?.id ?? ""}/import`;
  for (const [name, text] of Object.entries(files)) {
    expect(page).toContain(name);
    const fields = { form_token: await by.formToken(address) };
    const shown = await by.upload(address, fields, ENGLISH, { name, content: Buffer.from(text) });
    seen += textOf(shown.body);
    expect(textOf(shown.body)).toContain("New lines 1 Sum of the new lines R$98.63");
  }
  for (const path of [ROOM, `${ROOM}/accounts`, NEW]) seen += textOf((await by.get(path, ENGLISH)).body);
  const [, steps = ""] = /## By the console(.*?)## A real month/s.exec(page) ?? [];
  const words = [...steps.matchAll(/\*\*(.+?)\*\*/g)].map(([, word = ""]) => word);
  expect(words.filter((word) => !seen.includes(word))).toEqual([]);
  expect(words).toHaveLength(9);
});
