import type { LineKind, StatementLine } from "../account-statement.ts";
import { optionalText, required, textOf, unreadable, type Fields } from "../answer-fields.ts";
import { worthOf } from "./charge.ts";
import { dayIn, idIn, idOrNull, minorIn } from "./fields.ts";
import { MOVED } from "./messages.ts";

// By the sign of the type: that of the amount is not relied on.
const TYPES: Readonly<Record<string, readonly [kind: LineKind, sign: bigint]>> = {
  credit: ["installment", 1n],
  refund: ["refund", -1n],
  refund_reversal: ["refund", 1n],
  chargeback: ["chargeback", -1n],
  chargeback_refund: ["chargeback", 1n],
};
const NOT_MOVED: ReadonlySet<string> = new Set(["waiting_funds", "suspended"]);
const PAID_OUT = "success";
const NOT_PAID_OUT: ReadonlySet<string> = new Set(["pending", "failed"]);

/**
 * Returns the lines of a payable on a day: its money, its fee, and what an anticipation of it cost. None if it has not moved
 * yet, or moves on another day. Throws ProviderFault.
 */
export function linesOfPayable(fields: Fields, day: string): StatementLine[] {
  const status = textOf(fields, "status");
  if (!MOVED.has(status) && !NOT_MOVED.has(status)) throw unreadable("status");
  if (!MOVED.has(status) || required(dayIn(fields, "payment_date"), "payment_date") !== day) return [];
  const type = textOf(fields, "type");
  const amountMinor = required(minorIn(fields, "amount"), "amount");
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const [kind, movedMinor] = known
    ? [known[0], known[1] * worthOf(amountMinor)]
    : ["other" as const, amountMinor];
  const feeMinor = (minorIn(fields, "fee") ?? 0n) + (minorIn(fields, "fraud_coverage_fee") ?? 0n);
  const anticipationMinor = minorIn(fields, "anticipation_fee") ?? 0n;
  const installment = minorIn(fields, "installment");
  const common = {
    ...commonOf(fields, day),
    providerPaymentId: idOrNull(fields, "charge_id"),
    installment: installment === null ? null : Number(installment),
    settlementId: idOrNull(fields, "settlement_id"),
    text: `${type} ${status}`,
  };
  const parts: readonly (readonly [kind: LineKind, minor: bigint])[] = [
    // A refund may give its fee back, too: by one below 0.
    ...(feeMinor === 0n ? [] : [["fee", -feeMinor] as const]),
    ...(anticipationMinor === 0n ? [] : [["anticipation", -anticipationMinor] as const]),
  ];
  return [[kind, movedMinor] as const, ...parts].map(([of, minor]) => ({
    ...common,
    kind: of,
    amountMinor: minor,
  }));
}

/** Returns the line of a payout on a day; none if it did not reach the merchant's bank. Throws ProviderFault. */
export function linesOfSettlement(fields: Fields, day: string): StatementLine[] {
  const status = textOf(fields, "status");
  if (status !== PAID_OUT && !NOT_PAID_OUT.has(status)) throw unreadable("status");
  if (status !== PAID_OUT || required(dayIn(fields, "payment_date"), "payment_date") !== day) return [];
  const common = commonOf(fields, day);
  return [
    {
      ...common,
      kind: "transfer",
      amountMinor: -required(minorIn(fields, "amount"), "amount"),
      providerPaymentId: null,
      installment: null,
      settlementId: common.id,
      text: ["settlement", optionalText(fields, "product")].filter((word) => word !== null).join(" "),
    },
  ];
}

type Common = Omit<
  StatementLine,
  "kind" | "amountMinor" | "providerPaymentId" | "installment" | "settlementId" | "text"
>;

function commonOf(fields: Fields, day: string): Common {
  return {
    id: idIn(fields, "id"),
    currency: "BRL",
    day,
    at: null,
    reference: null,
    endToEndId: null,
    balanceMinor: null,
    raw: JSON.stringify(fields),
  };
}
