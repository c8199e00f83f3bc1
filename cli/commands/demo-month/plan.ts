import { hash } from "node:crypto";
import { startOfDay } from "../../../contract/day.ts";

type Outcome = "paid" | "failed" | "expired";
type Later = "refund" | "part" | "return" | "again";

/** One payment of the month, as it will be made. */
export interface Sale {
  readonly number: number;
  /** Unix time in milliseconds, whole seconds. */
  readonly atMs: number;
  readonly method: "pix" | "card";
  readonly installments: number;
  readonly isPassedThrough: boolean;
  readonly outcome: Outcome;
  /** Centavos. */
  readonly amountMinor: bigint;
  /** What happens to it some days later; null: nothing. */
  readonly later: { readonly what: Later; readonly atMs: number } | null;
}

/** Returns a whole number from `low` to `high`, both included. */
type Numbers = (low: number, high: number) => number;

type Kind = Pick<Sale, "method" | "outcome" | "isPassedThrough"> & { readonly what: Later | null };

const pix = { method: "pix", outcome: "paid", isPassedThrough: false, what: null } as const;
const card = { ...pix, method: "card" } as const;

/** Each kind with how many of a thousand payments are of it. */
const KINDS: readonly (readonly [Kind, number])[] = [
  [pix, 630],
  [{ ...pix, isPassedThrough: true }, 60],
  [{ ...pix, outcome: "failed" }, 20],
  [{ ...pix, outcome: "expired" }, 60],
  [{ ...pix, what: "refund" }, 25],
  [{ ...pix, what: "part" }, 25],
  [{ ...pix, what: "return" }, 10],
  [{ ...pix, what: "again" }, 3],
  [card, 70],
  [{ ...card, isPassedThrough: true }, 40],
  [{ ...card, outcome: "failed" }, 37],
  [{ ...card, what: "refund" }, 20],
];
const THOUSAND = 1000;
const INSTALLMENTS = [1, 1, 2, 3, 6, 10, 12];

const FIRST_HOUR = 8;
const OPEN_SECONDS = 14 * 3600;
const DAY_SECONDS = 86_400;
const LATER_DAYS_MAX = 3;
const AMOUNT_MIN = 1500;
const AMOUNT_MAX = 60_000;
// A smaller one is not offered.
const INSTALLMENT_MIN = 1000;

/** Returns a month's payments by time. A month and number give the same plan each time, and each kind is in it. */
export function planSales(month: Temporal.PlainYearMonth, count: number): Sale[] {
  const random = randomOf(month.toString());
  const kinds = Array.from({ length: count }, (_, index) => KINDS[index]?.[0] ?? kindOf(random));
  const sales = kinds.map(({ what, ...kind }, index) => {
    // What happens later is still of the month.
    const lastDay = what === null ? month.daysInMonth : month.daysInMonth - LATER_DAYS_MAX - 1;
    // The bank's files end with a line, and a day after their last line is open.
    const day = month.toPlainDate({ day: index === 0 ? lastDay : random(1, lastDay) });
    const atMs = startOfDay(day) + (FIRST_HOUR * 3600 + random(0, OPEN_SECONDS)) * 1000;
    const amount = random(AMOUNT_MIN, AMOUNT_MAX);
    const installments = Math.min(
      INSTALLMENTS[random(0, INSTALLMENTS.length - 1)] ?? 1,
      Math.floor(amount / INSTALLMENT_MIN),
    );
    const days = what === "again" ? 0 : random(1, LATER_DAYS_MAX);
    return {
      ...kind,
      number: index + 1,
      atMs,
      installments: kind.method === "card" ? installments : 1,
      amountMinor: BigInt(amount),
      later: what === null ? null : { what, atMs: atMs + days * DAY_SECONDS * 1000 + 60_000 },
    };
  });
  return sales.toSorted((a, b) => a.atMs - b.atMs);
}

function kindOf(random: Numbers): Kind {
  let drawn = random(1, THOUSAND);
  for (const [kind, share] of KINDS) {
    drawn -= share;
    if (drawn <= 0) return kind;
  }
  return pix;
}

/** Returns numbers that look random and are the same for a seed. */
function randomOf(seed: string): Numbers {
  let count = 0;
  return (low, high) => {
    const drawn = hash("sha256", `${seed} ${count++}`, "buffer").readUInt32BE();
    return low + (drawn % (high - low + 1));
  };
}
