import { dayAt, startOfDay } from "../../../contract/day.ts";
import type { DemoProvider, Movement } from "./provider.ts";
import type { Made } from "./sales.ts";

/** Something that is wrong on purpose, and what reconciliation says of it. */
export interface Fault {
  readonly where: "provider" | "bank";
  readonly fault: string;
  /** The day under which the difference is. */
  readonly day: string;
  /** The kind of the difference; null: there is none, as the lines match all the same. */
  readonly difference: string | null;
  /** Centavos that differ, signed. */
  readonly amountMinor: bigint;
  /** The line at the provider or the bank. */
  readonly line: string;
}

/** Payments whose lines are wrong, each of another day. */
export interface Chosen {
  readonly provider: readonly [lost: Made, changed: Made, moved: Made, returned: Made, overcharged: Made];
  readonly bank: readonly Made[];
}

/** What the bank charges less, or the provider takes more. */
export const ODD_MINOR = 137n;

const PROVIDER_FAULTS = 5;
const BANK_FAULTS = 4;
// A line that is moved by a day, or given back on the next one, is still of the month.
const LAST_DAYS = 3;
const UNKNOWN_REFERENCE = "semcobranca0001";
const UNKNOWN_MINOR = 76_543n;
const NOON_MS = 12 * 3_600_000;
const LATE_MS = 23 * 3_600_000;

/** Chooses plain payments by PIX, spread over the month. Throws Error if there are too few. */
export function choose(made: readonly Made[], month: Temporal.PlainYearMonth): Chosen {
  const last = month.toPlainDate({ day: month.daysInMonth - LAST_DAYS }).toString();
  const plain = made.filter(({ sale }) => {
    const isPaid = sale.method === "pix" && sale.outcome === "paid" && sale.later === null;
    return isPaid && dayOf(sale.atMs) <= last;
  });
  const byDay = [...Map.groupBy(plain, ({ sale }) => dayOf(sale.atMs)).values()].flatMap(
    ([first]) => first ?? [],
  );
  const wanted = PROVIDER_FAULTS + BANK_FAULTS;
  if (byDay.length < wanted) throw new Error(`The month needs PIX payments on ${wanted} days: make more.`);
  const spread = Array.from({ length: wanted }, (_, index) => {
    return byDay[Math.floor((index * byDay.length) / wanted)] as Made;
  });
  const [lost, changed, moved, returned, overcharged, ...bank] = spread as [Made, Made, Made, Made, Made];
  return { provider: [lost, changed, moved, returned, overcharged], bank };
}

/** Makes the provider's statement wrong. `movements` is what it says before. */
export async function makeProviderFaults(
  provider: DemoProvider,
  { provider: [lost, changed, moved, returned, overcharged] }: Chosen,
  movements: readonly Movement[],
  month: Temporal.PlainYearMonth,
): Promise<Fault[]> {
  const find = (reference: string, kind: Movement["kind"]): Movement => {
    const found = movements.find((one) => one.reference === reference && one.kind === kind);
    if (!found) throw new Error(`The statement has no ${kind} of ${reference}.`);
    return found;
  };
  const money = find(lost.reference, "received");
  const fee = find(lost.reference, "fee");
  await provider.lose(lost.reference);

  const short = find(changed.reference, "received");
  await provider.changeAmount(changed.reference, -1n);

  const late = find(moved.reference, "received");
  await provider.move(moved.reference, startOfDay(dayAfter(late.day)) + 1000);

  const back = find(returned.reference, "received");
  const backOn = dayAfter(back.day);
  await provider.giveBack(returned.reference, back.amountMinor, startOfDay(backOn) + NOON_MS);

  const dear = find(overcharged.reference, "fee");
  await provider.changeFee(overcharged.reference, ODD_MINOR);

  const unknownOn = month.toPlainDate({ day: Math.ceil(month.daysInMonth / 2) }).toString();
  const unknownMs = startOfDay(Temporal.PlainDate.from(unknownOn)) + NOON_MS;
  await provider.takeUnknown(UNKNOWN_REFERENCE, UNKNOWN_MINOR, unknownMs);

  const fault = faultsOf("provider");
  const twice = await refundTwice(provider, movements);
  return [
    fault("a line is lost", money.day, "missing_there", -money.amountMinor, money.id),
    fault("the fee of a lost line is lost with it", fee.day, "missing_there", -fee.amountMinor, fee.id),
    fault("an amount is a centavo less", short.day, "amount_differs", -1n, short.id),
    fault("a line is moved over midnight", late.day, null, 0n, late.id),
    fault(
      "money is given back that we do not know of",
      backOn.toString(),
      "missing_here",
      -back.amountMinor,
      back.id,
    ),
    fault("a fee is not the contracted one", dear.day, "fee_differs", -ODD_MINOR, dear.id),
    fault(
      "money comes that belongs to no payment",
      unknownOn,
      "missing_here",
      UNKNOWN_MINOR,
      UNKNOWN_REFERENCE,
    ),
    fault("a refund is made twice", twice.day, "doubled", twice.amountMinor, twice.id),
  ];
}

async function refundTwice(provider: DemoProvider, movements: readonly Movement[]): Promise<Movement> {
  const refund = movements.find(({ kind, id }) => kind === "refund" && !id.startsWith("dev"));
  if (!refund) throw new Error("The statement has no refund.");
  const atMs = startOfDay(Temporal.PlainDate.from(refund.day)) + LATE_MS;
  await provider.giveBack(refund.reference, -refund.amountMinor, atMs);
  return refund;
}

/** Returns a function that describes a fault of one side. */
export function faultsOf(where: Fault["where"]) {
  return (
    fault: string,
    day: string,
    difference: string | null,
    amountMinor: bigint,
    line: string,
  ): Fault => ({
    where,
    fault,
    day,
    difference,
    amountMinor,
    line,
  });
}

export function dayAfter(day: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(day).add({ days: 1 });
}

function dayOf(unixMs: number): string {
  return dayAt(unixMs).toString();
}
