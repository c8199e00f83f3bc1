import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import { LedgerEntryKind, LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { coreClient, tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { forTenant, modeEnum, modeOption, type TenantChoice } from "../output/options.ts";
import { print, timeCell } from "../output/output.ts";

const kinds = wordsOf(LedgerEntryKind);

type BalanceOptions = TenantChoice & { readonly currency?: string };
interface BusinessDayOptions {
  readonly mode: string;
  readonly closed?: boolean;
  readonly reason: string;
}

export function addLedger(program: Command): void {
  const ledger = program
    .command("ledger")
    .addHelpText(
      "after",
      examples(
        "ledger check --mode live",
        "ledger balance --tenant ten_… --mode test --currency BRL",
        'ledger business-day 2026-11-20 --mode live --closed --reason "Consciência Negra"',
      ),
    );
  ledger
    .command("check")
    .description("check the books of all tenants; exit 1 when something is wrong")
    .addOption(modeOption())
    .action(async ({ mode }: { mode: string }, command: Command) => {
      const { client, options } = await coreClient(LedgerService);
      const found = await client.checkLedger({ mode: modeEnum(mode) }, options);
      const problems = found.problems.map(({ code, tenantId, paymentId, detail }) => ({
        code,
        tenant: tenantId,
        payment: paymentId,
        detail,
      }));
      if (problems.length > 0) {
        print(command, problems);
        process.exitCode = 1;
        return;
      }
      const counts = { entries: Number(found.entryCount), payments: Number(found.paymentCount) };
      print(command, { result: "clean", ...counts });
    });
  forTenant(ledger.command("balance"))
    .description("the trial balance of a tenant, in the smallest unit")
    .addOption(new Option("--currency <currency>", "only this one").choices(["BRL", "USD"]))
    .action(async ({ currency, ...choice }: BalanceOptions, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { balances } = await client.getTrialBalance({ currency }, options);
      print(
        command,
        balances.map(({ account, currency: unit, debit, credit }) => ({
          account,
          currency: unit,
          debit: Number(debit),
          credit: Number(credit),
        })),
      );
    });
  forTenant(ledger.command("entries"))
    .description("the entries of a payment, line by line, in the smallest unit")
    .argument("<payment>", "the payment's id")
    .action(async (paymentId: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { entries } = await client.listLedgerEntries({ paymentId }, options);
      const rows = entries.flatMap(({ kind, sourceId = "", bookedAt, lines }) =>
        lines.map(({ account, currency, debit, credit }) => ({
          kind: kinds.wordOf(kind) ?? "unknown",
          source: sourceId,
          booked_at: timeCell(bookedAt),
          account,
          currency,
          debit: Number(debit),
          credit: Number(credit),
        })),
      );
      print(command, rows);
    });
  ledger
    .command("business-day")
    .description("override the national calendar of bank holidays for one day")
    .argument("<day>", "YYYY-MM-DD")
    .addOption(modeOption())
    .option("--closed", "banks do not work on it (default: they do)")
    .option("--reason <text>", "the reason", "")
    .action(async (day: string, { mode, closed = false, reason }: BusinessDayOptions, command: Command) => {
      const { client, options } = await coreClient(LedgerService);
      await client.putBusinessDay({ mode: modeEnum(mode), day, isBusinessDay: !closed, reason }, options);
      print(command, { day, business_day: closed ? "no" : "yes" });
    });
}
