import type {
  AccountDay,
  BankImport,
  BankLine,
  BookLine,
  Column,
  Decision,
  Difference,
  Line,
  StatementLine,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { TitleKey } from "./messages.ts";
import type { Value } from "./values.ts";
import { differenceWord, kindWord, legWord, ruleWord, sideWord, stateWord, yesOrNo } from "./words.ts";

/** The columns of a table: a name for programs, which is also that of its title, and the value of an item. */
type Columns<Item> = readonly (readonly [name: TitleKey, value: (item: Item) => Value])[];

type ColumnSide = "ours" | "statement" | "bank";

function columnsOf(
  side: ColumnSide,
  columnOf: (item: AccountOnDay) => Column | undefined,
): Columns<AccountOnDay> {
  return [
    [`${side}_opening`, (item) => columnOf(item)?.opening],
    [`${side}_in`, (item) => columnOf(item)?.incoming],
    [`${side}_fees`, (item) => columnOf(item)?.fees],
    [`${side}_returns`, (item) => columnOf(item)?.returns],
    [`${side}_out`, (item) => columnOf(item)?.outgoing],
    [`${side}_closing`, (item) => columnOf(item)?.closing],
  ];
}

/** An account on a day. */
export interface AccountOnDay {
  readonly day: string;
  readonly account: AccountDay;
}

export const MONTH: Columns<AccountOnDay> = [
  ["day", ({ day }) => day],
  ["account", ({ account }) => account.accountId],
  ["state", ({ account }) => stateWord(account.state)],
  ["closed_at", ({ account }) => account.closedAt],
  ...columnsOf("ours", ({ account }) => account.ours),
  ...columnsOf("statement", ({ account }) => account.theirs),
  ["statement_stated", ({ account }) => account.theirs?.stated],
  ["bank_account", ({ account }) => account.bankAccountId],
  ...columnsOf("bank", ({ account }) => account.bank),
  ["bank_stated", ({ account }) => account.bank?.stated],
  ["statement_complete", ({ account }) => yesOrNo(account.statement?.isComplete)],
  ["statement_carries", ({ account }) => yesOrNo(account.statement?.carries)],
  ["statement_lines", ({ account }) => account.statement?.lineCount],
  ["statement_lines_sha256", ({ account }) => account.statement?.linesSha256],
  ["statement_read_at", ({ account }) => account.statement?.readAt],
  ["statement_fault", ({ account }) => account.statement?.fault],
];

/** A line of a difference. What is of the difference as a whole is with its first line alone, so that amounts add up. */
export interface DifferenceLine {
  readonly day: string;
  /** The difference's number on its day, from 1 on. */
  readonly number: number;
  readonly difference: Difference;
  readonly isFirst: boolean;
  /** Undefined: the difference has none. */
  readonly line: Line | undefined;
}

const first =
  (value: (difference: Difference) => Value) =>
  ({ difference, isFirst }: DifferenceLine): Value =>
    isFirst ? value(difference) : undefined;

export const DIFFERENCES: Columns<DifferenceLine> = [
  ["day", ({ day }) => day],
  ["number", ({ number }) => number],
  ["leg", ({ difference }) => legWord(difference.leg)],
  ["difference_kind", ({ difference }) => differenceWord(difference.kind)],
  ["account", ({ difference }) => difference.accountId],
  ["amount", first(({ amount }) => amount)],
  ["fee_expected", first(({ feeExpected }) => feeExpected)],
  ["fee_charged", first(({ feeCharged }) => feeCharged)],
  ["due_on", first(({ dueOn }) => dueOn)],
  ["reason", first(({ reason }) => reason)],
  ["decided_by", first(({ decidedBy }) => decidedBy)],
  ["decided_at", first(({ decidedAt }) => decidedAt)],
  ["decision", first(({ decisionId }) => decisionId)],
  ["match", first(({ matchId }) => matchId)],
  ["line_count", first(({ lineCount }) => lineCount)],
  ["line_side", ({ line }) => line && sideWord(line.side)],
  ["line_account", ({ line }) => line?.accountId],
  ["line_day", ({ line }) => line?.day],
  ["line_kind", ({ line }) => kindWord(line?.kind)],
  ["line_amount", ({ line }) => line?.amount],
  ["line_text", ({ line }) => line?.text],
  ["payment", ({ line }) => line?.paymentId],
  ["reference", ({ line }) => line?.reference],
  ["end_to_end_id", ({ line }) => line?.endToEndId],
  ["provider_payment_id", ({ line }) => line?.providerPaymentId],
  ["foreign_id", ({ line }) => line?.foreignId],
  ["key", ({ line }) => line?.key],
];

export const DECISIONS: Columns<Decision> = [
  ["decision", ({ id }) => id],
  ["leg", ({ leg }) => legWord(leg)],
  ["reason", ({ reason }) => reason],
  ["decided_by", ({ madeBy }) => madeBy],
  ["decided_at", ({ madeAt }) => madeAt],
  ["undone_by", ({ undoneBy }) => undoneBy],
  ["undone_at", ({ undoneAt }) => undoneAt],
  ["days", ({ days }) => days.join("\n")],
  ["keys", ({ lineKeys }) => lineKeys.join("\n")],
];

export const IMPORTS: Columns<BankImport> = [
  ["import", ({ id }) => id],
  ["bank_account", ({ bankAccountId }) => bankAccountId],
  ["file_name", ({ fileName }) => fileName],
  ["file_sha256", ({ sha256 }) => sha256],
  ["imported_lines", ({ importedCount }) => importedCount],
  ["known_lines", ({ knownCount }) => knownCount],
  ["imported_by", ({ importedBy }) => importedBy],
  ["imported_at", ({ importedAt }) => importedAt],
];

export const STATEMENT: Columns<StatementLine> = [
  ["day", ({ day }) => day],
  ["account", ({ accountId }) => accountId],
  ["kind", ({ kind }) => kindWord(kind)],
  ["amount", ({ amount }) => amount],
  ["currency", ({ currency }) => currency],
  ["text", ({ text }) => text],
  ["foreign_id", ({ providerLineId }) => providerLineId],
  ["at", ({ at }) => at],
  ["balance", ({ balance }) => balance],
  ["reference", ({ reference }) => reference],
  ["end_to_end_id", ({ endToEndId }) => endToEndId],
  ["provider_payment_id", ({ providerPaymentId }) => providerPaymentId],
  ["installment", ({ installment }) => installment],
  ["settlement_id", ({ settlementId }) => settlementId],
  ["books_match", ({ booksMatchId }) => booksMatchId],
  ["books_rule", ({ booksRule }) => ruleWord(booksRule)],
  ["bank_match", ({ bankMatchId }) => bankMatchId],
  ["bank_rule", ({ bankRule }) => ruleWord(bankRule)],
  ["raw_sha256", ({ rawSha256 }) => rawSha256],
  ["key", ({ key }) => key],
];

export const BANK: Columns<BankLine> = [
  ["day", ({ day }) => day],
  ["bank_account", ({ bankAccountId }) => bankAccountId],
  ["amount", ({ amount }) => amount],
  ["currency", ({ currency }) => currency],
  ["text", ({ text }) => text],
  ["foreign_id", ({ bankId }) => bankId],
  ["import", ({ importId }) => importId],
  ["match", ({ matchId }) => matchId],
  ["rule", ({ rule }) => ruleWord(rule)],
  ["raw_sha256", ({ rawSha256 }) => rawSha256],
  ["key", ({ key }) => key],
];

export const BOOKS: Columns<BookLine> = [
  ["day", ({ day }) => day],
  ["account", ({ accountId }) => accountId],
  ["kind", ({ kind }) => kindWord(kind)],
  ["amount", ({ amount }) => amount],
  ["currency", ({ currency }) => currency],
  ["payment", ({ paymentId }) => paymentId],
  ["reference", ({ reference }) => reference],
  ["end_to_end_id", ({ endToEndId }) => endToEndId],
  ["provider_payment_id", ({ providerPaymentId }) => providerPaymentId],
  ["installment", ({ installment }) => installment],
  ["match", ({ matchId }) => matchId],
  ["rule", ({ rule }) => ruleWord(rule)],
  ["key", ({ key }) => key],
];

/** Rows of one file. */
export interface TablePart {
  /** Of the file, without ".csv". */
  readonly path: string;
  /** Reads the rows, anew each time. */
  readonly rows: () => AsyncGenerator<readonly (readonly Value[])[]>;
}

/** A sheet of the workbook, and the CSV files of the same rows. */
export interface Table {
  readonly sheet: Sheet;
  readonly names: readonly TitleKey[];
  readonly parts: readonly TablePart[];
}

export type Sheet = "month" | "differences" | "decisions" | "imports" | "statement" | "bank" | "books";

/** Returns a table, whose parts are files by their paths. */
export function tableOf<Item>(
  sheet: Sheet,
  columns: Columns<Item>,
  parts: Iterable<readonly [path: string, read: () => AsyncIterable<readonly Item[]>]>,
): Table {
  return {
    sheet,
    names: columns.map(([name]) => name),
    parts: Array.from(parts, ([path, read]) => ({
      path,
      rows: async function* rows() {
        for await (const items of read()) yield items.map((item) => columns.map(([, value]) => value(item)));
      },
    })),
  };
}
