import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  BankPath,
  MatchRule,
  ReconciliationService,
  type BankAccount,
  type BankLine,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { boundModeOption, day, forTenant, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";
import { feeRow, readFees } from "./bank/fees.ts";
import { bankAccountClient } from "./bank/owner.ts";

const paths = wordsOf(BankPath);
const rules = wordsOf(MatchRule);
const PAGE = 1000;

type NewAccount = TenantChoice & {
  readonly name: string;
  readonly providerAccount?: string;
  readonly path?: string;
  readonly mapping?: string;
};
type OfAccount = Partial<TenantChoice> & { readonly account: string };
type LinesOptions = OfAccount & { readonly from?: string; readonly to?: string };
type FeeOptions = TenantChoice & { readonly account: string };

export function addBank(program: Command): void {
  const bank = program
    .command("bank")
    .addHelpText(
      "after",
      examples(
        'bank accounts create --tenant ten_… --mode live --name "Itaú 1234-5"',
        "bank accounts list --tenant ten_… --mode live",
        "bank import extrato.ofx --account bac_…",
        "bank lines --account bac_… --from 2026-01-01 --to 2026-01-31 --json",
        "bank fees put fees.json --account pac_… --tenant ten_… --mode live",
      ),
    );
  addAccounts(bank.command("accounts").description("a tenant's accounts at banks"));
  forBankAccount(bank.command("import"))
    .description("import a bank's file; exit 1, and nothing is stored, if one of its lines cannot be read")
    .argument("<file>", "OFX, CNAB 240, CSV or XLSX")
    .action(async (file: string, { account, ...choice }: OfAccount, command: Command) => {
      const content = await readFile(file);
      const { client, options } = await bankAccountClient(account, choice);
      const request = { bankAccountId: account, fileName: basename(file), content };
      const { importedCount, knownCount, rejected, rejectedCount } = await client.importBankFile(
        request,
        options,
      );
      const rows = rejected.map(({ line, reason }) => ({ line, reason }));
      print(command, { imported: importedCount, known: knownCount, rejected: rows });
      if (rejectedCount === 0) return;
      const what = rejectedCount === 1 ? "1 line" : `${rejectedCount} lines`;
      process.stderr.write(`paylink: nothing is imported: ${what} of ${file} cannot be read\n`);
      process.exitCode = 1;
    });
  forBankAccount(bank.command("lines"))
    .description("list the lines of a bank account, latest day first, in centavos")
    .option("--from <day>", "first day, YYYY-MM-DD", day)
    .option("--to <day>", "last day, YYYY-MM-DD", day)
    .action(async ({ account, from, to, ...choice }: LinesOptions, command: Command) => {
      const { client, options } = await bankAccountClient(account, choice);
      const found: BankLine[] = [];
      for (let startingAfter: string | undefined; ;) {
        const request = { bankAccountId: account, from, to, limit: PAGE, startingAfter };
        const page = await client.listBankLines(request, options);
        found.push(...page.lines);
        if (page.nextCursor === undefined) break;
        startingAfter = page.nextCursor;
      }
      print(command, found.map(lineRow));
    });
  addFees(bank.command("fees").description("the fees that a provider account has agreed with its provider"));
}

function addAccounts(accounts: Command): void {
  withJson(forTenant(accounts.command("create")))
    .description("make a bank account, whose files can be imported then; prints its id")
    .requiredOption("--name <text>", "its name, for people")
    .option("--provider-account <id>", "whose money comes there: pac_…, or sandbox in test mode")
    .addOption(
      new Option(
        "--path <path>",
        "how its money comes there: as transfers, as payouts, or line by line (default: transfer)",
      ).choices(paths.all),
    )
    .option("--mapping <file>", "JSON that says how its CSV and XLSX files are read")
    .action(async ({ name, providerAccount, path, mapping, ...choice }: NewAccount, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      const request = {
        name,
        providerAccountId: providerAccount,
        path: paths.numberOf(path),
        mapping: mapping === undefined ? undefined : await readFile(mapping, "utf8"),
      };
      const { bankAccount } = await client.createBankAccount(request, options);
      print(command, { id: bankAccount?.id ?? null });
    });
  withJson(forTenant(accounts.command("list")))
    .description("list a tenant's bank accounts")
    .action(async (choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      print(command, (await client.listBankAccounts({}, options)).bankAccounts.map(accountRow));
    });
}

function addFees(fees: Command): void {
  forProviderAccount(fees.command("put"))
    .description("replace the contracted fees of a provider account")
    .argument("<file>", "a JSON list, as `paylink bank fees list --json` prints it")
    .action(async (file: string, { account: accountId, ...choice }: FeeOptions, command: Command) => {
      const given = readFees(await readFile(file, "utf8"));
      const { client, options } = await tenantClient(ReconciliationService, choice);
      const put = await client.putContractedFees({ accountId, fees: given }, options);
      print(command, put.fees.map(feeRow));
    });
  forProviderAccount(fees.command("list"))
    .description("list the contracted fees of a provider account, in ppm and centavos")
    .action(async ({ account: accountId, ...choice }: FeeOptions, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      print(command, (await client.listContractedFees({ accountId }, options)).fees.map(feeRow));
    });
}

function forBankAccount(command: Command): Command {
  return command
    .requiredOption("--account <id>", "the bank account, bac_…")
    .option(
      "--tenant <id>",
      "its tenant, ten_… (default: the one that has it, for a token that may list all tenants)",
    )
    .addOption(boundModeOption());
}

function forProviderAccount(command: Command): Command {
  return withJson(forTenant(command)).requiredOption(
    "--account <id>",
    "the provider account: pac_…, or sandbox in test mode",
  );
}

/** The program adds it to the commands of a group, and not to those below. */
function withJson(command: Command): Command {
  return command.option("--json", "print one JSON document on stdout");
}

function accountRow(account: BankAccount): Row {
  return {
    id: account.id,
    name: account.name,
    provider_account: account.providerAccountId ?? null,
    path: paths.wordOf(account.path) ?? null,
    mapping: account.mapping === undefined ? "no" : "yes",
    imported_until: account.importedUntil ?? null,
    created_at: timeCell(account.createdAt),
  };
}

function lineRow(line: BankLine): Row {
  return {
    date: line.day,
    amount: Number(line.amount),
    currency: line.currency,
    text: line.text,
    bank_id: line.bankId,
    match: rules.wordOf(line.rule) ?? null,
  };
}
