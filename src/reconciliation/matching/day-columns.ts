import type { LineKind } from "../../providers/account-statement.ts";
import type { Account, BankLine, OurLine } from "./lines.ts";

/** Movements of one side of an account on one day. opening + in + fees + returns + out = closing, always. */
export interface Column {
  readonly openingMinor: bigint;
  readonly inMinor: bigint;
  readonly feesMinor: bigint;
  readonly returnsMinor: bigint;
  readonly outMinor: bigint;
  readonly closingMinor: bigint;
  /** The closing that the other party states, which differs where its lines are not complete. Null: it states none. */
  readonly statedMinor: bigint | null;
}

/** An account's day, three times. */
export interface DayColumns {
  readonly accountId: string;
  readonly day: string;
  readonly ours: Column;
  readonly theirs: Column;
  /** The whole bank account, whoever else pays into it. Null: the account has none. */
  readonly bank: Column | null;
}

/** Balances of an account: at the begin of the first day, or as stated at the end of one. */
export interface Balances {
  readonly accountId: string;
  readonly oursMinor: bigint;
  readonly theirsMinor: bigint;
  readonly bankMinor: bigint;
}
export type StatedClosing = Pick<Balances, "accountId"> & {
  readonly day: string;
  readonly theirsMinor: bigint | null;
  readonly bankMinor: bigint | null;
};

/** What columns need of a line, or of the sum of lines that are alike. */
type SummedLine = Pick<OurLine, "accountId" | "day" | "kind" | "amountMinor">;
export type SummedBankLine = Pick<BankLine, "bankAccountId" | "day" | "amountMinor">;

export interface ColumnsInput {
  readonly accounts: readonly Account[];
  /** In order. Lines of other days are in no column. */
  readonly days: readonly string[];
  readonly lines: {
    readonly ours: readonly SummedLine[];
    readonly theirs: readonly SummedLine[];
    readonly bank: readonly SummedBankLine[];
  };
  /** Of the begin of the first day: yesterday's closings. An account that is not among them begins at 0. */
  readonly openings: readonly Balances[];
  readonly stated: readonly StatedClosing[];
  /** The kind of a bank line whose match says it; others are `in` or `out` by their sign. */
  readonly bankKinds: ReadonlyMap<SummedBankLine, LineKind>;
}

interface Movement {
  readonly owner: string;
  readonly day: string;
  readonly kind: LineKind | null;
  readonly amountMinor: bigint;
}
type Part = "inMinor" | "feesMinor" | "returnsMinor" | "outMinor";
type Sums = Record<Part, bigint>;

/** Returns the columns of each account and day, by account and then by day. A day's closing is the next day's opening. */
export function dayColumns(input: ColumnsInput): DayColumns[] {
  const { ours, theirs, bank } = input.lines;
  // Payouts are the provider's doing: our books take them as stated.
  const payouts = theirs.filter(({ kind }) => kind === "transfer");
  const sums = {
    ours: sumsByDay([...ours, ...payouts].map((line) => ({ ...movement(line), owner: line.accountId }))),
    theirs: sumsByDay(theirs.map((line) => ({ ...movement(line), owner: line.accountId }))),
    bank: sumsByDay(
      bank.map((line) => ({
        owner: line.bankAccountId,
        day: line.day,
        kind: input.bankKinds.get(line) ?? null,
        amountMinor: line.amountMinor,
      })),
    ),
  };
  const openings = new Map(input.openings.map((balances) => [balances.accountId, balances]));
  const stated = new Map(input.stated.map((closing) => [`${closing.accountId} ${closing.day}`, closing]));

  return input.accounts.flatMap((account) => {
    const opening = openings.get(account.id);
    let oursMinor = opening?.oursMinor ?? 0n;
    let theirsMinor = opening?.theirsMinor ?? 0n;
    let bankMinor = opening?.bankMinor ?? 0n;
    return input.days.map((day): DayColumns => {
      const closing = stated.get(`${account.id} ${day}`);
      const columns = {
        accountId: account.id,
        day,
        ours: column(oursMinor, sums.ours.get(`${account.id} ${day}`), null),
        theirs: column(theirsMinor, sums.theirs.get(`${account.id} ${day}`), closing?.theirsMinor ?? null),
        bank: account.bank
          ? column(bankMinor, sums.bank.get(`${account.bank.accountId} ${day}`), closing?.bankMinor ?? null)
          : null,
      };
      oursMinor = columns.ours.closingMinor;
      theirsMinor = columns.theirs.closingMinor;
      bankMinor = columns.bank?.closingMinor ?? 0n;
      return columns;
    });
  });
}

function movement({ day, kind, amountMinor }: Omit<Movement, "owner">): Omit<Movement, "owner"> {
  return { day, kind, amountMinor };
}

function sumsByDay(movements: readonly Movement[]): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const { owner, day, kind, amountMinor } of movements) {
    const key = `${owner} ${day}`;
    const sum = sums.get(key) ?? none();
    sum[partOf(kind, amountMinor)] += amountMinor;
    sums.set(key, sum);
  }
  return sums;
}

function column(openingMinor: bigint, sums: Sums = none(), statedMinor: bigint | null): Column {
  const { inMinor, feesMinor, returnsMinor, outMinor } = sums;
  const closingMinor = openingMinor + inMinor + feesMinor + returnsMinor + outMinor;
  return { openingMinor, ...sums, closingMinor, statedMinor };
}

function none(): Sums {
  return { inMinor: 0n, feesMinor: 0n, returnsMinor: 0n, outMinor: 0n };
}

function partOf(kind: LineKind | null, amountMinor: bigint): Part {
  switch (kind) {
    case "received":
    case "installment":
    case "anticipation":
      return "inMinor";
    case "fee":
      return "feesMinor";
    case "return":
    case "refund":
    case "chargeback":
      return "returnsMinor";
    case "transfer":
    case "blocked":
      return "outMinor";
    default:
      return amountMinor > 0n ? "inMinor" : "outMinor";
  }
}
