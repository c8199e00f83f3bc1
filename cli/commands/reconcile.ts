import type { Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  DayState,
  DifferenceKind,
  Leg,
  ReconciliationService,
  Side,
  type AccountDay,
  type Column,
  type Difference,
  type GetReconciledDayResponse,
  type Line,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import {
  day as dayArgument,
  forTenant,
  month as monthArgument,
  type TenantChoice,
} from "../output/options.ts";
import { writeNewFile } from "../output/new-file.ts";
import { print, timeCell, type Row, type Sheet } from "../output/output.ts";

const states = wordsOf(DayState);
const kinds = wordsOf(DifferenceKind);
const legs = wordsOf(Leg);
const sides = wordsOf(Side);

export function addReconcile(program: Command): void {
  const reconcile = program
    .command("reconcile")
    .addHelpText(
      "after",
      examples(
        "reconcile month 2026-01 --tenant ten_… --mode live",
        "reconcile day 2026-01-31 --tenant ten_… --mode live",
        'reconcile explain 2026-01-31 "bank bac_… bkl_…" --reason "the bank\'s fee" --tenant ten_… --mode live',
        "reconcile undo rcd_… --tenant ten_… --mode live",
        "reconcile package 2026-01 --tenant ten_… --mode live",
      ),
    );
  forTenant(reconcile.command("month"))
    .description("list the days of a month: whether each is even, and its sums in centavos")
    .argument("<month>", "YYYY-MM", monthArgument)
    .action(async (month: Temporal.PlainYearMonth, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      const from = month.toPlainDate({ day: 1 }).toString();
      const to = month.toPlainDate({ day: month.daysInMonth }).toString();
      const { days } = await client.listReconciledDays({ from, to }, options);
      print(
        command,
        days.map((one) => ({
          day: one.day,
          state: states.wordOf(one.state) ?? null,
          gross: Number(one.gross),
          fees: Number(one.fees),
          net: Number(one.net),
          differences: one.differenceCount,
          difference: Number(one.difference),
        })),
      );
    });
  forTenant(reconcile.command("day"))
    .description(
      "show our books, the provider's statement and the bank of a day, and what differs, in centavos",
    )
    .argument("<day>", "YYYY-MM-DD", dayArgument)
    .action(async (day: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      print(command, daySheet(await client.getReconciledDay({ day }, options)));
    });
  forTenant(reconcile.command("explain"))
    .description("record why lines of a day differ; the audit log has it, and undo takes it back")
    .argument("<day>", "YYYY-MM-DD", dayArgument)
    .argument("<line>", "a line of the difference, as `paylink reconcile day` names it")
    .requiredOption("--reason <text>", "why, for who looks at it later")
    .action(
      async (day: string, key: string, { reason, ...choice }: TenantChoice & { reason: string }, command) => {
        const { client, options } = await tenantClient(ReconciliationService, choice);
        const found = differencesOf(await client.getReconciledDay({ day }, options)).find(({ lines }) =>
          lines.some((line) => line.key === key),
        );
        if (!found) throw new Error(`No difference of ${day} has the line ${key}.`);
        if (found.lineCount > found.lines.length) {
          throw new Error(`The difference has ${found.lineCount} lines: too many for one decision.`);
        }
        const lineKeys = found.lines.map((line) => line.key);
        const { decision } = await client.decide({ leg: found.leg, lineKeys, reason }, options);
        print(command as Command, { id: decision?.id ?? null, lines: lineKeys });
      },
    );
  forTenant(reconcile.command("undo"))
    .description("take a decision back: its lines are open again")
    .argument("<id>", "the decision, rcd_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      print(command, { id: (await client.undoDecision({ id }, options)).decision?.id ?? null });
    });
  forTenant(reconcile.command("package"))
    .description("write the accountant's package of a month: one ZIP of CSV files, a workbook and seals")
    .argument("<month>", "YYYY-MM", monthArgument)
    .option("--to <file>", "the file to write, which must not exist (default: paylink-YYYY-MM.zip)")
    .action(
      async (
        month: Temporal.PlainYearMonth,
        { to, ...choice }: TenantChoice & { to?: string },
        command: Command,
      ) => {
        const { client: reconciliation, options } = await tenantClient(ReconciliationService, choice);
        const { client: ledger } = await tenantClient(LedgerService, choice);
        const { monthPackage, packageName } =
          await import("../../gateway/console/month-package/month-package.ts");
        const file = to ?? packageName(month);
        const bytes = monthPackage({
          core: { reconciliation, ledger },
          as: options,
          month,
          tenantId: choice.tenant,
          mode: choice.mode,
          language: "en",
          accountName: (id) => id,
          signal: new AbortController().signal,
        });
        print(command, { file, sha256: await writeNewFile(file, bytes) });
      },
    );
  forTenant(reconcile.command("read"))
    .description("have the statements of all accounts read now, within a minute")
    .action(async (choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(ReconciliationService, choice);
      print(command, { accounts: (await client.readStatementsNow({}, options)).accountCount });
    });
}

function differencesOf({ accounts, differences }: GetReconciledDayResponse): Difference[] {
  return [...accounts.flatMap((account) => account.differences), ...differences];
}

function daySheet(response: GetReconciledDayResponse): Sheet {
  return {
    day: response.day,
    state: states.wordOf(response.state) ?? null,
    columns: response.accounts.flatMap(columnRows),
    statements: response.accounts.flatMap(statementRow),
    differences: differencesOf(response).map(differenceRow),
  };
}

function columnRows(account: AccountDay): Row[] {
  const { ours, theirs, bank } = account;
  const columns: [side: Side, column: Column | undefined][] = [
    [Side.OURS, ours],
    [Side.THEIRS, theirs],
    [Side.BANK, bank],
  ];
  return columns.flatMap(([side, column]) => (column ? [columnRow(account, side, column)] : []));
}

function columnRow({ accountId, state }: AccountDay, side: Side, column: Column): Row {
  return {
    account: accountId,
    state: states.wordOf(state) ?? null,
    side: sides.wordOf(side) ?? null,
    opening: Number(column.opening),
    incoming: Number(column.incoming),
    fees: Number(column.fees),
    returns: Number(column.returns),
    outgoing: Number(column.outgoing),
    closing: Number(column.closing),
    stated: column.stated === undefined ? null : Number(column.stated),
  };
}

function statementRow({ accountId, statement }: AccountDay): Row[] {
  if (!statement) return [];
  const { isComplete, lineCount, carries, readAt, fault } = statement;
  return [
    {
      account: accountId,
      read_at: timeCell(readAt),
      complete: yesNo(isComplete),
      lines: lineCount,
      carries: yesNo(carries),
      fault: fault ?? null,
    },
  ];
}

function yesNo(value: boolean | undefined): string | null {
  return value === undefined ? null : value ? "yes" : "no";
}

function differenceRow(difference: Difference): Row {
  const { feeExpected, feeCharged, lines, lineCount } = difference;
  return {
    leg: legs.wordOf(difference.leg) ?? null,
    kind: kinds.wordOf(difference.kind) ?? null,
    account: difference.accountId ?? null,
    amount: Number(difference.amount),
    fee_expected: feeExpected === undefined ? null : Number(feeExpected),
    fee_charged: feeCharged === undefined ? null : Number(feeCharged),
    due_on: difference.dueOn ?? null,
    reason: difference.reason ?? null,
    decision: difference.decisionId ?? null,
    what: lines.map(lineText),
    line: lines[0]?.key ?? null,
    lines: lineCount,
  };
}

function lineText({ side, day, amount, text }: Line): string {
  return `${sides.wordOf(side) ?? "unknown"} ${day} ${amount} ${text}`;
}
