import type { Balances, DayColumns } from "../../../src/reconciliation/matching/day-columns.ts";
import {
  bankKey,
  ourKey,
  theirKey,
  type Account,
  type BankLine,
  type Difference,
  type Lines,
  type Match,
  type OpenLines,
  type OurLine,
  type TheirLine,
} from "../../../src/reconciliation/matching/lines.ts";
import { matchLines } from "../../../src/reconciliation/matching/match.ts";
import { NOTHING_OPEN } from "./sides.ts";

type AnyLine = OurLine | TheirLine | BankLine;

/** What a database keeps between the days: lines once, their matches, and what is open. */
export class Store {
  readonly matches: Match[] = [];
  readonly columns: DayColumns[] = [];
  open: OpenLines = NOTHING_OPEN;
  readonly #accounts: readonly Account[];
  readonly #known = new Set<string>();
  readonly #matched = {
    ours: new Index<OurLine>(),
    theirs: new Index<TheirLine>(),
    bank: new Index<BankLine>(),
  };
  #ofMatches: Difference[] = [];
  #ofOpen: Difference[] = [];
  #closings: Balances[] = [];

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
  }

  get differences(): Difference[] {
    return [...this.#ofMatches, ...this.#ofOpen];
  }

  addDay(day: string, read: Lines): void {
    const lines = {
      ours: this.#new(read.ours, ourKey),
      theirs: this.#new(read.theirs, theirKey),
      bank: this.#new(read.bank, bankKey),
    };
    const names = namesOf([...Object.values(lines).flat(), ...Object.values(this.open).flat()]);
    const found = matchLines({
      accounts: this.#accounts,
      days: [day],
      lines,
      open: this.open,
      earlier: {
        ours: this.#matched.ours.of(names),
        theirs: this.#matched.theirs.of(names),
        bank: this.#matched.bank.of(names),
      },
      decisions: [],
      openings: this.#closings,
      stated: [],
    });
    this.open = found.open;
    this.matches.push(...found.matches);
    this.columns.push(...found.columns);
    const isOfOpen = ({ kind }: Difference) => !["amount_differs", "fee_differs", "decided"].includes(kind);
    this.#ofMatches.push(...found.differences.filter((difference) => !isOfOpen(difference)));
    this.#ofOpen = found.differences.filter(isOfOpen);
    this.#closings = found.columns.map(({ accountId, ours, theirs, bank }) => ({
      accountId,
      oursMinor: ours.closingMinor,
      theirsMinor: theirs.closingMinor,
      bankMinor: bank?.closingMinor ?? 0n,
    }));
    for (const match of found.matches) {
      for (const line of match.ours) this.#matched.ours.add(line);
      for (const line of match.theirs) this.#matched.theirs.add(line);
      for (const line of match.bank) this.#matched.bank.add(line);
    }
  }

  #new<L>(lines: readonly L[], keyOf: (line: L) => string): L[] {
    return lines.filter((line) => {
      const { size } = this.#known;
      return this.#known.add(keyOf(line)).size > size;
    });
  }
}

class Index<L extends AnyLine> {
  readonly #lines = new Map<string, Set<L>>();

  add(line: L): void {
    for (const name of namesOf([line])) {
      const lines = this.#lines.get(name) ?? new Set();
      this.#lines.set(name, lines.add(line));
    }
  }

  of(names: Iterable<string>): L[] {
    const found = new Set<L>();
    for (const name of names) for (const line of this.#lines.get(name) ?? []) found.add(line);
    return [...found];
  }
}

function namesOf(lines: readonly AnyLine[]): Set<string> {
  const names = lines.flatMap((line) => {
    if ("bankAccountId" in line) return line.text.split(" ");
    const text = "text" in line ? [...line.text.split(" "), line.settlementId, line.id] : [];
    return [line.endToEndId, line.providerPaymentId, line.reference, ...text];
  });
  return new Set(names.filter((name) => name !== null && name.length > 7) as string[]);
}
