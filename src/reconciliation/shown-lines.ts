import { create } from "@bufbuild/protobuf";
import { LineSchema, type Line } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { FoundLine } from "./line-keys.ts";
import { kinds, sides } from "./mapping.ts";

/** Lines that a match or a difference shows; it says how many there are. */
export const LINES_SHOWN = 100;

export function toLine(line: FoundLine): Line {
  const { key, side, accountId, kind, day, amountMinor, text } = line;
  return create(LineSchema, {
    key,
    side: sides.numbers[side],
    accountId,
    kind: kind === null ? undefined : kinds.numbers[kind],
    day,
    amount: amountMinor,
    currency: "BRL",
    text,
    paymentId: line.paymentId ?? undefined,
    reference: line.reference ?? undefined,
    endToEndId: line.endToEndId ?? undefined,
    providerPaymentId: line.providerPaymentId ?? undefined,
    foreignId: line.foreignId ?? undefined,
    installment: line.installment ?? undefined,
  });
}

/** Returns lines in the order in which they are shown: ours, theirs, the bank's, each by its day. */
export function inOrder(lines: readonly FoundLine[]): FoundLine[] {
  return lines.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
}

function placeOf({ side, day, key }: FoundLine): string {
  return `${["ours", "theirs", "bank"].indexOf(side)} ${day} ${key}`;
}
