import { wordsOf } from "../../../contract/enum-words.ts";
import { differenceText } from "../../../contract/first-difference.ts";
import {
  BankPath,
  DayState,
  LineKind,
  MatchRule,
  type BankAccount,
  type DaySummary,
  type Line,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Html } from "../../pages/html.ts";
import type { Option } from "../parts/form.ts";
import { badge, type Tone } from "../parts/show.ts";
import { nameOf } from "../providers/views.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** The account of test mode, which is at no provider. */
const SANDBOX = "sandbox";

const kinds = wordsOf(LineKind);
const rules = wordsOf(MatchRule);
export const paths = wordsOf(BankPath);

/** What a fault of a statement is known by, the codes before the kinds. */
const FAULTS = [
  "report_not_ready",
  "day_not_over",
  "shifting_pages",
  "busy",
  "misconfigured",
  "refused",
  "unknown",
  "internal",
] as const;

/** What lines of our books are of. */
const BOOKED = [
  "payment",
  "exception",
  "refund",
  "return",
  "installment",
  "fee",
  "anticipation",
  "chargeback",
  "refund_deduction",
] as const;
const FEE_OF = "fee of ";

const STATES: Readonly<Record<DayState, readonly [Tone, MessageKey]>> = {
  [DayState.UNSPECIFIED]: ["plain", "state_open"],
  [DayState.OPEN]: ["plain", "state_open"],
  [DayState.EVEN]: ["good", "state_even"],
  [DayState.EXPLAINED]: ["warn", "state_explained"],
  [DayState.DIFFERS]: ["bad", "state_differs"],
};

/** Returns what a day is, in a word. */
export function stateBadge(visit: Visit, state: DayState): Html {
  const [tone, word] = STATES[state] ?? STATES[DayState.OPEN];
  return badge(tone, messagesIn(visit.language)(word));
}

/** Returns what a line is of, or "—" on the bank's side, where that is not known. */
export function kindText(visit: Visit, kind: LineKind | undefined): string {
  const word = kinds.wordOf(kind);
  return word === undefined ? "—" : messagesIn(visit.language)(`kind_${word}`);
}

/** Returns why lines belong together. */
export function ruleText(visit: Visit, rule: MatchRule | undefined): string {
  return messagesIn(visit.language)(`rule_${rules.wordOf(rule) ?? "other"}`);
}

/** Returns why a statement could not be read. A code that is the provider's own says no more than the kind before it. */
export function faultText(visit: Visit, fault: string): string {
  const [kind, code] = fault.split(" ");
  const key = FAULTS.find((one) => one === code) ?? FAULTS.find((one) => one === kind) ?? "unknown";
  return messagesIn(visit.language)(`fault_${key}`);
}

/** Returns what a line of our books is, in words: it begins with what it is of, in English. */
export function bookLineText(visit: Visit, text: string): string {
  const t = messagesIn(visit.language);
  if (text.startsWith(FEE_OF))
    return t("book_fee_of", { line: bookLineText(visit, text.slice(FEE_OF.length)) });
  const [word = "", id = ""] = text.split(" ");
  const known = BOOKED.find((one) => one === word);
  return known ? t(`book_${known}`, { id }) : text;
}

/** Returns what a line says: the sandbox's says its kind, in English. */
export function statementText(
  visit: Visit,
  { accountId, kind, text }: Pick<Line, "accountId" | "kind" | "text">,
): string {
  return accountId === SANDBOX && text === kinds.wordOf(kind) ? kindText(visit, kind) : text;
}

/** Returns how the money of a bank account arrives, or "—" if no provider account is named. */
export function pathText(visit: Visit, path: BankPath | undefined): string {
  const word = paths.wordOf(path);
  return word === undefined ? "—" : messagesIn(visit.language)(`path_${word}`);
}

/** Returns a provider account's name, or that of the test environment. An unknown one is named by its id. */
export function accountName(visit: Visit, id: string): string {
  if (id === SANDBOX) return messagesIn(visit.language)("sandbox");
  const account = visit.accounts.find((one) => one.id === id);
  return account ? nameOf(visit.language, account) : id;
}

/** Returns a day that differs with its amount and the accounts that differ. */
export function summaryText(visit: Visit, summary: DaySummary): string {
  const names = summary.accountIds.map((id) => accountName(visit, id));
  return differenceText(visit.language, summary, names);
}

/** Returns the provider accounts of this environment, as options of a field. */
export function accountOptions(visit: Visit): Option[] {
  const ids = visit.mode === "test" ? [SANDBOX] : visit.accounts.map(({ id }) => id);
  return ids.map((id) => [id, accountName(visit, id)]);
}

/** Returns the bank accounts, the first made first. */
export async function bankAccounts({ core, as }: Visit): Promise<readonly BankAccount[]> {
  return (await core.reconciliation.listBankAccounts({}, as)).bankAccounts;
}

/** Returns an amount without its sign: a sentence says which way it goes. */
export function size({ format }: Visit, amount: bigint): string {
  return format.money(amount < 0n ? -amount : amount, "BRL");
}
