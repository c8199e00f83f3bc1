import type { LineKind } from "../../../src/providers/account-statement.ts";
import { contractedFee } from "../../../src/reconciliation/matching/fees.ts";
import type { BankLine, BankPath, OurLine, TheirLine } from "../../../src/reconciliation/matching/lines.ts";
import { dayAt, fees, type Planned, type Style } from "./month-plan.ts";
import { our, their } from "./sides.ts";

/** A movement on all sides, before the faults. */
export interface Movement {
  readonly path: BankPath;
  readonly style: Style;
  readonly ours: OurLine;
  readonly theirs: TheirLine;
  /** The fee of it by contract, which our side derives. */
  readonly fee: TheirLine | null;
}

/** Makes movements whose ids are not used twice. */
export class Movements {
  #count = 0;

  /** Returns the movements of a payment: its parts, and its refund. */
  of({ path, day, method, brand, installments, style, tens, refund }: Planned): Movement[] {
    const number = this.next();
    const paymentId = `pay_${number}`;
    // Equal amounts are told apart by ids alone; what is known by its amount has one of its own.
    const isEqual = path !== "line" && style !== "text" && style !== "nameless";
    const amount = () => (isEqual ? tens * 100 : 5_000_000 + Number(this.next()) * 1000);
    const isCard = method === "card" && (style === "provider" || style === "reference");
    const count = isCard ? installments : 1;
    const hasFee = path === "transfer" && style !== "text" && style !== "nameless";
    const terms = hasFee
      ? { kind: isCard ? "card" : "pix", brand: isCard ? brand : null, installments: count }
      : null;
    const parts = Array.from({ length: count }, (_, index) =>
      this.#movement(path, style, isCard ? "installment" : "received", amount(), dayAt(day + index), {
        paymentId,
        terms,
        ...(isCard
          ? { providerPaymentId: `ch_${number}`, reference: `order${number}`, endToEndId: null }
          : {}),
        installment: isCard ? index + 1 : null,
      }),
    );
    if (!refund) return parts;
    // A return can name the payment alone: its amount has to tell it.
    const backAmount = -5_000_000 - Number(this.next()) * 1000;
    const back = this.#movement(path, style, "refund", backAmount, dayAt(day + refund.after), { paymentId });
    // A nameless one that is late could not be known.
    if (style === "nameless" || path === "settlement") return [...parts, back];
    const late = dayAt(day + refund.after + refund.late);
    return [
      ...parts,
      { ...back, ours: { ...back.ours, dueOn: late }, theirs: { ...back.theirs, day: late, dueOn: late } },
    ];
  }

  #movement(
    path: BankPath,
    style: Style,
    kind: LineKind,
    amount: number,
    day: string,
    values: Partial<OurLine>,
  ): Movement {
    const number = this.next();
    const ours = our(`${kind} ${kind}_${number}`, amount, {
      accountId: path,
      kind,
      day,
      reference: `txid${number}`,
      providerPaymentId: `money${number}`,
      endToEndId: `${kind === "refund" ? "D" : "E"}${number.padStart(20, "0")}abcdefghijk`,
      ...values,
    });
    const theirs = their(`m${number}`, amount, {
      accountId: path,
      kind,
      day,
      settlementId: path === "settlement" ? `settlement-${day}` : null,
      installment: ours.installment,
      ...named(style, ours),
    });
    const minor = contractedFee(path === "transfer" ? fees : [], ours) ?? 0n;
    const fee =
      minor === 0n ? null : { ...theirs, id: `fee${number}`, kind: "fee" as const, amountMinor: -minor };
    return { path, style, ours, theirs, fee };
  }

  /** Returns a number that no other one has. */
  next(): string {
    return String(10_000_000 + this.#count++).slice(1);
  }
}

function named(style: Style, ours: OurLine): Partial<TheirLine> {
  const { endToEndId, providerPaymentId, reference } = ours;
  if (style === "end-to-end") return { endToEndId };
  if (style === "provider") return { providerPaymentId };
  if (style === "reference") return { reference };
  return style === "text" ? { text: `PIX ${reference}` } : {};
}

export function inBank(ours: OurLine, theirs: TheirLine, style: Style): Partial<BankLine> {
  const name = {
    "end-to-end": ours.endToEndId,
    provider: ours.providerPaymentId,
    reference: ours.reference,
    text: theirs.id,
    nameless: "",
  };
  return { bankAccountId: `bank of ${theirs.accountId}`, day: theirs.day, text: `PIX ${name[style]}` };
}
