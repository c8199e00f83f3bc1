import type { LineKind } from "../../providers/account-statement.ts";
import type { Account, BankLine, OurLine, Rule, TheirLine } from "./lines.ts";

/** One line, or the lines of one settlement, in the form that the rules of both legs compare. */
export interface Entry<L> {
  readonly lines: readonly L[];
  /** Entries of two scopes never match: an account and a family of kinds, or a bank account. */
  readonly scope: string;
  /** Null: a bank line, which does not say of which account it is. */
  readonly accountId: string | null;
  readonly day: string;
  /** The last day on which the other side is expected to book it. */
  readonly dueOn: string;
  readonly amountMinor: bigint;
  readonly installment: number | null;
  readonly ids: Ids;
  /** Names that a second entry of the same amount cannot have: it is the same movement, there twice. */
  readonly onceBy: readonly string[];
}

/** By what an entry can be known, each in lower case; null or absent: it does not say. */
export interface Ids {
  readonly endToEndId: string | null;
  /** The line's own id: that of a refund here, of a movement there. */
  readonly own: string | null;
  readonly providerPaymentId: string | null;
  readonly reference: string | null;
  readonly paymentId: string | null;
  readonly settlementId: string | null;
  /** Words of its text that are long enough to be an id. */
  readonly words: readonly string[];
}

/** What one leg has not matched yet, what it has, and lines that are there twice. */
export interface Pool<L, R> {
  readonly left: Set<Entry<L>>;
  readonly right: Set<Entry<R>>;
  readonly pairs: Pair<L, R>[];
  readonly doubledLeft: Set<Entry<L>>;
  readonly doubledRight: Set<Entry<R>>;
}

export interface Pair<L, R> {
  readonly rule: Rule;
  readonly left: readonly Entry<L>[];
  readonly right: readonly Entry<R>[];
}

// Shorter words of a text are branch numbers, hours and words of the language.
const ID_LENGTH_MIN = 8;
const DATE = /^\d{8}$/;
// Return ids begin with D and lie where an end-to-end id does.
const END_TO_END_ID = /^[ed]\d{20}[a-z0-9]{11}$/;

export function ourEntry(line: OurLine): Entry<OurLine> {
  const own = line.id.slice(line.id.lastIndexOf(" ") + 1).toLowerCase();
  return {
    lines: [line],
    scope: booksScope(line),
    accountId: line.accountId,
    day: line.day,
    dueOn: line.dueOn,
    amountMinor: line.amountMinor,
    installment: line.installment,
    ids: {
      endToEndId: lower(line.endToEndId),
      own: own.length < ID_LENGTH_MIN ? null : own,
      providerPaymentId: lower(line.providerPaymentId),
      reference: lower(line.reference),
      paymentId: lower(line.paymentId),
      settlementId: null,
      words: [],
    },
    onceBy: onceBy(line),
  };
}

/** Returns a statement line as our books see it. */
export function theirEntry(line: TheirLine): Entry<TheirLine> {
  return {
    lines: [line],
    scope: booksScope(line),
    accountId: line.accountId,
    day: line.day,
    dueOn: line.dueOn,
    amountMinor: line.amountMinor,
    installment: line.installment,
    ids: theirIds(line),
    onceBy: [],
  };
}

/** Returns statement lines as the bank sees them: those that have reached it, or are on their way to it. */
export function payoutEntries(
  lines: readonly TheirLine[],
  accounts: ReadonlyMap<string, Account>,
): Entry<TheirLine>[] {
  const groups = new Map<string, TheirLine[]>();
  for (const [index, line] of lines.entries()) {
    const path = accounts.get(line.accountId)?.bank?.path;
    const key = path === "settlement" ? `${line.accountId} ${line.settlementId}` : `${index}`;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].map((group) => payoutEntry(group, accounts));
}

/** Returns whether a statement line is one that the account's bank has or will have. */
export function reachesBank(line: TheirLine, account: Account | undefined): boolean {
  const path = account?.bank?.path;
  if (path === undefined) return false;
  if (path === "transfer") return line.kind === "transfer";
  return path === "line" || (line.settlementId !== null && line.kind !== "transfer");
}

export function bankEntry(line: BankLine): Entry<BankLine> {
  const words = wordsOf(`${line.text} ${line.bankId}`);
  return {
    lines: [line],
    scope: line.bankAccountId,
    accountId: null,
    day: line.day,
    dueOn: line.day,
    amountMinor: line.amountMinor,
    installment: null,
    ids: {
      endToEndId: words.find((word) => END_TO_END_ID.test(word)) ?? null,
      own: null,
      providerPaymentId: null,
      reference: null,
      paymentId: null,
      settlementId: null,
      words,
    },
    onceBy: [],
  };
}

/** Returns the sum of entries or lines. */
export function sumOf(entries: readonly { readonly amountMinor: bigint }[]): bigint {
  let sum = 0n;
  for (const { amountMinor } of entries) sum += amountMinor;
  return sum;
}

/** Moves entries from what is open to what is matched. */
export function take<L, R>(pool: Pool<L, R>, pair: Pair<L, R>): void {
  for (const entry of pair.left) pool.left.delete(entry);
  for (const entry of pair.right) pool.right.delete(entry);
  pool.pairs.push(pair);
}

function payoutEntry(lines: TheirLine[], accounts: ReadonlyMap<string, Account>): Entry<TheirLine> {
  const [first] = lines as [TheirLine];
  const bank = accounts.get(first.accountId)?.bank;
  const sum = sumOf(lines);
  return {
    lines,
    scope: bank?.accountId ?? "",
    accountId: first.accountId,
    day: last(lines.map(({ day }) => day)),
    dueOn: last(lines.map(({ dueOn }) => dueOn)),
    amountMinor: bank?.path === "transfer" ? -sum : sum,
    installment: null,
    ids:
      bank?.path === "settlement" ? { ...NO_IDS, settlementId: lower(first.settlementId) } : theirIds(first),
    onceBy: bank?.path === "settlement" ? [] : onceBy(first),
  };
}

const NO_IDS: Ids = {
  endToEndId: null,
  own: null,
  providerPaymentId: null,
  reference: null,
  paymentId: null,
  settlementId: null,
  words: [],
};

function theirIds(line: TheirLine): Ids {
  const words = wordsOf(line.text);
  return {
    endToEndId: lower(line.endToEndId) ?? words.find((word) => END_TO_END_ID.test(word)) ?? null,
    own: line.id.toLowerCase(),
    providerPaymentId: lower(line.providerPaymentId),
    reference: lower(line.reference),
    paymentId: null,
    settlementId: lower(line.settlementId),
    words,
  };
}

/** Only of money that comes in once: a payment can have two refunds of one amount. */
function onceBy(line: OurLine | TheirLine): string[] {
  const { endToEndId, providerPaymentId, installment } = line;
  const names = [`e2e ${endToEndId}`, `payment ${providerPaymentId} ${installment}`];
  const isSet = [endToEndId !== null, providerPaymentId !== null];
  if (line.kind === "transfer" && "settlementId" in line) {
    names.push(`settlement ${line.settlementId}`);
    isSet.push(line.settlementId !== null);
  } else if (line.amountMinor <= 0n) return [];
  return names.filter((_, index) => isSet[index]);
}

function booksScope({ accountId, kind }: { readonly accountId: string; readonly kind: LineKind }): string {
  return `${accountId} ${familyOf(kind)}`;
}

/** A provider may call an installment an anticipation, and a return a refund: they can be one movement. */
function familyOf(kind: LineKind): string {
  switch (kind) {
    case "received":
    case "installment":
    case "anticipation":
      return "in";
    case "return":
    case "refund":
    case "chargeback":
      return "back";
    default:
      return kind;
  }
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u);
  return words.filter((word) => word.length >= ID_LENGTH_MIN && !DATE.test(word));
}

function last(days: readonly string[]): string {
  return days.reduce((latest, day) => (day > latest ? day : latest), "");
}

function lower(text: string | null): string | null {
  return text === null || text === "" ? null : text.toLowerCase();
}
