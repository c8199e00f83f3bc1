import type {
  BankLine,
  BankPath,
  Leg,
  OurLine,
  TheirLine,
} from "../../../src/reconciliation/matching/lines.ts";
import { after, dayAt, days, LAST_DAY, type Fault, type PayoutFault, type Plan } from "./month-plan.ts";
import { inBank, Movements, type Movement } from "./movements.ts";
import { bank as bankLine, their } from "./sides.ts";

/** A month of three accounts with faults, and the report that has to come of it. */
export class Month {
  readonly ours: OurLine[] = [];
  readonly theirs: TheirLine[] = [];
  readonly bank: BankLine[] = [];
  /** As `shown` writes differences. */
  readonly expected: string[] = [];
  /** Statement lines whose match is of two days. */
  readonly moved: string[] = [];
  readonly #settled = new Map<string | null, bigint>();
  readonly #movements = new Movements();

  constructor(plan: Plan) {
    for (const payment of plan.payments) {
      const [first, ...others] = this.#movements.of(payment);
      if (first) this.#add(first, payment.fault);
      for (const movement of others) this.#add(movement, null);
    }
    for (const [index, { path, isAtBank, day }] of plan.unknown.entries()) {
      const minor = 77_000_000 + index * 1000;
      this.#unknown(path, isAtBank, dayAt(day), minor);
    }
    this.#payOut("transfer", plan.payouts.slice(0, days.length));
    this.#settle(plan.payouts.slice(days.length));
    if (plan.again === null) return;
    const day = dayAt(plan.again);
    this.ours.push(...this.ours.filter((line) => line.day === day));
    this.theirs.push(...this.theirs.filter((line) => line.day === day));
    this.bank.push(...this.bank.filter((line) => line.day === day));
  }

  /** Adds a movement to all sides with its fault, and what the report says of it. A fault that it cannot have is none. */
  #add({ path, style, ours, theirs, fee }: Movement, fault: Fault | null): void {
    const atBank =
      path === "line"
        ? bankLine(`b of ${theirs.id}`, Number(theirs.amountMinor), inBank(ours, theirs, style))
        : null;
    const isNamed = style !== "nameless";
    const settled = this.#settled.get(theirs.settlementId) ?? 0n;
    this.#settled.set(theirs.settlementId, settled + theirs.amountMinor);
    const push = (
      ourLines: OurLine[],
      theirLines: TheirLine[],
      bankLines: (BankLine | null)[] = [atBank],
    ) => {
      this.ours.push(...ourLines);
      this.theirs.push(...theirLines);
      this.bank.push(...bankLines.filter((line) => line !== null));
    };
    if (fee && !fault?.startsWith("fee ")) this.theirs.push(fee);
    switch (fault) {
      case "lost here":
        if (fee) this.#expect("books", "missing_here", path, fee.amountMinor, fee);
        this.#expect("books", "missing_here", path, theirs.amountMinor, theirs);
        return push([], [theirs]);
      case "lost there":
        this.#expect("books", "missing_there", path, -ours.amountMinor, ours);
        if (atBank) this.#expect("bank", "missing_here", path, atBank.amountMinor, atBank);
        return push([ours], []);
      case "lost at the bank":
        if (atBank) this.#expect("bank", "missing_there", path, -theirs.amountMinor, theirs);
        return push([ours], [theirs], []);
      case "doubled here": {
        if (!isNamed || ours.amountMinor < 0n) break;
        const again = { ...ours, id: `${ours.id}again` };
        this.#expect("books", "doubled", path, -ours.amountMinor, again);
        return push([ours, again], [theirs]);
      }
      case "doubled there":
      case "doubled there later": {
        if (!isNamed) break;
        const day = fault === "doubled there later" && path !== "settlement" ? after(theirs.day) : theirs.day;
        const again = { ...theirs, id: `${theirs.id}again`, day, dueOn: day };
        this.#expect("books", "doubled", path, theirs.amountMinor, again);
        const isOnce = theirs.endToEndId !== null || theirs.providerPaymentId !== null;
        if (atBank)
          this.#expect("bank", isOnce ? "doubled" : "missing_there", path, -theirs.amountMinor, again);
        return push([ours], [theirs, again]);
      }
      case "doubled at the bank": {
        if (!isNamed || !atBank) break;
        const again = { ...atBank, id: `${atBank.id} again` };
        this.#expect("bank", "doubled", path, again.amountMinor, again);
        return push([ours], [theirs], [atBank, again]);
      }
      case "centavo more":
      case "centavo less": {
        const more = fault === "centavo more" ? 1n : -1n;
        const changed = { ...theirs, amountMinor: theirs.amountMinor + more };
        this.#expectPair("books", isNamed, path, more, ours, changed);
        if (atBank) this.#expectPair("bank", isNamed, path, -more, changed, atBank);
        return push([ours], [changed]);
      }
      case "over midnight": {
        if (!isNamed || path === "settlement") break;
        const day = after(theirs.day);
        this.moved.push(theirs.id);
        return push([ours], [{ ...theirs, day, dueOn: day }]);
      }
      case "returned later": {
        const day = after(after(theirs.day));
        const minor = -theirs.amountMinor;
        const back = {
          ...theirs,
          id: `${theirs.id}back`,
          kind: "return" as const,
          amountMinor: minor,
          day,
          dueOn: day,
        };
        this.#expect("books", "missing_here", path, minor, back);
        const backAtBank = atBank && { ...atBank, id: `${atBank.id}back`, amountMinor: minor, day };
        return push([ours], [theirs, { ...back, settlementId: null }], [atBank, backAtBank]);
      }
      case "fee changed":
      case "fee lost there":
      case "fee doubled there":
        if (fee) this.#addFee(fault, ours, fee);
        return push([ours], [theirs]);
      case null:
        break;
    }
    if (theirs.day !== ours.day) this.moved.push(theirs.id);
    push([ours], [theirs]);
  }

  #addFee(
    fault: "fee changed" | "fee lost there" | "fee doubled there",
    ours: OurLine,
    fee: TheirLine,
  ): void {
    const derived = { id: `fee of ${ours.id}` };
    if (fault === "fee lost there") {
      this.#expect("books", "missing_there", "transfer", -fee.amountMinor, derived);
    } else if (fault === "fee doubled there") {
      const again = { ...fee, id: `${fee.id}again` };
      this.#expect("books", "doubled", "transfer", fee.amountMinor, again);
      this.theirs.push(fee, again);
    } else {
      const charged = { ...fee, amountMinor: fee.amountMinor - 3n };
      const terms = `${fee.amountMinor} ${charged.amountMinor}`;
      this.#expect("books", `fee_differs ${terms}`, "transfer", -3n, derived, charged);
      this.theirs.push(charged);
    }
  }

  #unknown(path: BankPath, isAtBank: boolean, day: string, minor: number): void {
    const number = this.#movements.next();
    const line = bankLine(`unknown b${number}`, minor, {
      bankAccountId: `bank of ${path}`,
      day,
      text: "DEPOSITO",
    });
    if (isAtBank) {
      this.#expect("bank", "missing_here", path, line.amountMinor, line);
      this.bank.push(line);
      return;
    }
    const theirs = their(`unknown m${number}`, minor, {
      accountId: path,
      day,
      reference: `strange${number}`,
    });
    this.#expect("books", "missing_here", path, theirs.amountMinor, theirs);
    this.theirs.push(theirs);
    if (path === "line") this.bank.push(line);
  }

  /** Pays out what the statement has of each day as one transfer and one bank line. */
  #payOut(path: "transfer", payouts: Plan["payouts"]): void {
    const amounts = new Set<bigint>();
    for (const [index, payout] of payouts.entries()) {
      const day = dayAt(index);
      let sum = sumOf(this.theirs.filter((line) => line.accountId === path && line.day === day));
      // Some stays there, so that no two payouts are the same or next to it.
      while ([sum - 1n, sum, sum + 1n].some((near) => amounts.has(near))) sum -= 2n;
      if (index > LAST_DAY || sum <= 0n) continue;
      const { isNamed } = payout;
      amounts.add(sum);
      const settlementId = `payout${this.#movements.next()}`;
      const values = { accountId: path, kind: "transfer", day, settlementId } as const;
      const theirs = their(settlementId, -Number(sum), { ...values, dueOn: dayAt(index + payout.dueAfter) });
      const line = bankLine(`b of ${settlementId}`, Number(sum), {
        bankAccountId: `bank of ${path}`,
        day: theirs.dueOn,
        text: isNamed ? `TED ${settlementId}` : "TED",
      });
      this.#addPayout(payout.fault, isNamed, theirs, line);
    }
  }

  #addPayout(fault: PayoutFault | null, isNamed: boolean, theirs: TheirLine, line: BankLine): void {
    const path = theirs.accountId;
    const sum = line.amountMinor;
    if (fault !== "lost there") this.theirs.push(theirs);
    if (fault === "lost there") this.#expect("bank", "missing_here", path, sum, line);
    if (fault === "lost") return this.#expect("bank", "missing_there", path, -sum, theirs);
    if (fault === "doubled there") {
      const again = { ...theirs, id: `${theirs.id}again` };
      this.#expect("bank", "doubled", path, -sum, again);
      this.theirs.push(again);
    }
    if (fault === "more" || fault === "less") {
      const more = fault === "more" ? 1n : -1n;
      const changed = { ...line, amountMinor: sum + more };
      this.bank.push(changed);
      return this.#expectPair("bank", isNamed, path, more, { ...theirs, amountMinor: sum }, changed);
    }
    this.bank.push(fault === "over midnight" && isNamed ? { ...line, day: after(line.day) } : line);
    if (fault !== "doubled" || !isNamed) return;
    const again = { ...line, id: `${line.id} again` };
    this.#expect("bank", "doubled", path, sum, again);
    this.bank.push(again);
  }

  /** Gives the bank one line for each settlement, of what it was before the faults. */
  #settle(payouts: Plan["payouts"]): void {
    for (const [index, { isNamed, fault }] of payouts.entries()) {
      const settlementId = `settlement-${dayAt(index)}`;
      const left = this.theirs.filter((line) => line.settlementId === settlementId);
      const should = this.#settled.get(settlementId) ?? 0n;
      if (should === 0n) {
        if (sumOf(left) !== 0n) this.#expect("bank", "missing_there", "settlement", -sumOf(left), ...left);
        continue;
      }
      const minor = fault === "more" ? should + 1n : should;
      const isEven = sumOf(left) === minor;
      const line = bankLine(`b of ${settlementId}`, Number(minor), {
        bankAccountId: "bank of settlement",
        day: dayAt(index),
        text: isNamed || !isEven ? `CRED ${settlementId}` : "CRED",
      });
      this.bank.push(line);
      if (left.length === 0) this.#expect("bank", "missing_here", "settlement", minor, line);
      else if (!isEven)
        this.#expect("bank", "amount_differs", "settlement", minor - sumOf(left), ...left, line);
    }
  }

  #expectPair(
    leg: Leg,
    isNamed: boolean,
    accountId: string,
    minor: bigint,
    left: OurLine | TheirLine,
    right: TheirLine | BankLine,
  ): void {
    if (isNamed) return this.#expect(leg, "amount_differs", accountId, minor, left, right);
    this.#expect(leg, "missing_there", accountId, -left.amountMinor, left);
    this.#expect(leg, "missing_here", accountId, right.amountMinor, right);
  }

  #expect(
    leg: Leg,
    kind: string,
    accountId: string,
    minor: bigint,
    ...lines: readonly { readonly id: string }[]
  ): void {
    this.expected.push(written(leg, kind, accountId, minor, lines));
  }
}

export function written(
  leg: Leg,
  kind: string,
  accountId: string | null,
  minor: bigint,
  lines: readonly { readonly id: string }[],
): string {
  const ids = lines.map(({ id }) => id).toSorted();
  return `${leg} ${kind} ${accountId} ${minor}: ${ids.join(", ")}`;
}

export function sumOf(lines: readonly { readonly amountMinor: bigint }[]): bigint {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}
