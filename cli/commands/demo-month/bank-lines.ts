import { dayAfter, faultsOf, ODD_MINOR, type Fault } from "./faults.ts";
import type { Movement } from "./provider.ts";
import type { Made } from "./sales.ts";

/** A line of the bank's files. */
export interface BankFileLine {
  readonly day: string;
  /** Centavos, signed. */
  readonly amountMinor: bigint;
  readonly text: string;
  /** FITID, or document number. */
  readonly bankId: string;
}

type Draft = Omit<BankFileLine, "bankId">;

const TEXTS = { received: "PIX RECEBIDO", fee: "TARIFA", refund: "PIX DEVOLVIDO" } as const;
const UNKNOWN = { text: "TED RECEBIDA FORNECEDOR", amountMinor: 9_876_543n };
const OWN_FEE = { text: "TARIFA MENSAL DA CONTA", amountMinor: -4990n };
const ID_DIGITS = 6;
/** The day of the month that both files have. */
export const SHARED_DAY = 15;

/**
 * Returns what the bank has of a statement, with its own faults: a line for each movement, but for cards' money, which
 * comes as one payout a day.
 */
export function bankLines(
  movements: readonly Movement[],
  cardReferences: ReadonlySet<string>,
  chosen: readonly Made[],
  month: Temporal.PlainYearMonth,
): { lines: BankFileLine[]; faults: Fault[] } {
  const isPayout = ({ kind, reference }: Movement): boolean =>
    kind === "received" && cardReferences.has(reference);
  const single = movements.filter((movement) => !isPayout(movement));
  const payouts = [...Map.groupBy(movements.filter(isPayout), ({ day }) => day)];
  const moneyOf = (made: Made | undefined): Movement => {
    const found = single.find(({ reference, kind }) => reference === made?.reference && kind === "received");
    if (!found) throw new Error("The statement lacks a chosen payment.");
    return found;
  };
  const [lost, twice, short, moved] = chosen.map(moneyOf) as [Movement, Movement, Movement, Movement];
  const first = month.toPlainDate({ day: 2 }).toString();
  const shared = month.toPlainDate({ day: SHARED_DAY }).toString();
  const middle = month.toPlainDate({ day: Math.ceil(month.daysInMonth / 2) }).toString();

  const drafts = [
    ...single.filter((one) => one !== lost).map((one) => changed(lineOf(one), one, short, moved)),
    lineOf(twice),
    ...payouts.map(([day, lines]) => ({ day, amountMinor: sumOf(lines), text: "LIQUIDACAO CARTOES" })),
    { day: middle, ...UNKNOWN },
    { day: first, ...OWN_FEE },
  ];
  const lines = drafts
    .toSorted((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)))
    .map((line, index) => ({ ...line, bankId: String(index + 1).padStart(ID_DIGITS, "0") }));

  const fault = faultsOf("bank");
  return {
    lines,
    faults: [
      fault("a line is lost", lost.day, "missing_there", -lost.amountMinor, lineOf(lost).text),
      fault("a line is there twice", twice.day, "doubled", twice.amountMinor, lineOf(twice).text),
      fault("the bank shows R$ 1,37 less", short.day, "amount_differs", -ODD_MINOR, lineOf(short).text),
      fault("a line is moved over midnight", moved.day, null, 0n, lineOf(moved).text),
      fault("money of nobody known", middle, "missing_here", UNKNOWN.amountMinor, UNKNOWN.text),
      fault("a fee of the bank's own", first, "missing_here", OWN_FEE.amountMinor, OWN_FEE.text),
      fault("a payout of many card payments each day", first, null, 0n, "LIQUIDACAO CARTOES"),
      fault("a day is in both files", shared, null, 0n, "all lines of the day"),
    ],
  };
}

function lineOf({ day, amountMinor, kind, id }: Movement): Draft {
  return { day, amountMinor, text: `${TEXTS[kind]} ${id}` };
}

function changed(line: Draft, movement: Movement, short: Movement, moved: Movement): Draft {
  if (movement === short) return { ...line, amountMinor: line.amountMinor - ODD_MINOR };
  if (movement === moved) return { ...line, day: dayAfter(line.day).toString() };
  return line;
}

function sumOf(lines: readonly Movement[]): bigint {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}
