import type { Account, BankLine, OurLine, TheirLine } from "../../../src/reconciliation/matching/lines.ts";
import { matchLines, type Matched, type MatchInput } from "../../../src/reconciliation/matching/match.ts";

export const DAY = "2026-11-03";
export const NEXT = "2026-11-04";
export const LATER = "2026-11-05";
const FAR = "2027-12-31";

export const account: Account = {
  id: "pac_a",
  bank: { accountId: "bac_a", path: "transfer" },
  fees: [],
  statedUntil: FAR,
  bankedUntil: FAR,
};

/** Returns a line of ours: money that came in, known by nothing. */
export function our(id: string, amount: number, values: Partial<OurLine> = {}): OurLine {
  const day = values.day ?? DAY;
  return {
    id,
    accountId: account.id,
    kind: "received",
    day,
    amountMinor: BigInt(amount),
    paymentId: null,
    reference: null,
    endToEndId: null,
    providerPaymentId: null,
    installment: null,
    dueOn: day,
    terms: null,
    ...values,
  };
}

/** Returns a line of the statement: money that came in, which names nothing. */
export function their(id: string, amount: number, values: Partial<TheirLine> = {}): TheirLine {
  const day = values.day ?? DAY;
  return {
    id,
    accountId: account.id,
    kind: "received",
    amountMinor: BigInt(amount),
    currency: "BRL",
    day,
    at: null,
    reference: null,
    endToEndId: null,
    providerPaymentId: null,
    installment: null,
    settlementId: null,
    text: "",
    balanceMinor: null,
    raw: id,
    dueOn: day,
    ...values,
  };
}

export function bank(id: string, amount: number, values: Partial<BankLine> = {}): BankLine {
  return {
    id,
    bankAccountId: "bac_a",
    day: DAY,
    amountMinor: BigInt(amount),
    text: "TED",
    bankId: "",
    ...values,
  };
}

interface Given extends Partial<Omit<MatchInput, "lines" | "open">> {
  readonly ours?: readonly OurLine[];
  readonly theirs?: readonly TheirLine[];
  readonly bank?: readonly BankLine[];
  readonly open?: MatchInput["open"];
}

export const NO_LINES = { ours: [], theirs: [], bank: [] };
export const NOTHING_OPEN = { ...NO_LINES, payouts: [] };

export function matched({ ours = [], theirs = [], bank: banks = [], ...given }: Given): Matched {
  return matchLines({
    accounts: [account],
    days: [DAY],
    lines: { ours, theirs, bank: banks },
    open: NOTHING_OPEN,
    earlier: NO_LINES,
    decisions: [],
    openings: [],
    stated: [],
    ...given,
  });
}

/** Returns matches as `rule: lines = lines`, sorted. */
export function shownMatches({ matches }: Pick<Matched, "matches">): string[] {
  return matches
    .map(({ rule, ours, theirs, bank: banks, leg }) => {
      const [left, right] = leg === "books" ? [ours, theirs] : [theirs, banks];
      return `${rule}: ${ids(left)} = ${ids(right)}`;
    })
    .toSorted();
}

/** Returns differences as `kind amount: lines`, sorted. */
export function shownDifferences({ differences }: Pick<Matched, "differences">): string[] {
  return differences
    .map(({ kind, amountMinor, ours, theirs, bank: banks }) => {
      const lines = [...ours, ...theirs, ...banks];
      return `${kind} ${amountMinor}: ${ids(lines)}`;
    })
    .toSorted();
}

function ids(lines: readonly { readonly id: string }[]): string {
  return lines.map(({ id }) => id).join(" + ");
}
