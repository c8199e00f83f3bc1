import { shareOf } from "../../pricing/rounding.ts";
import type { Account, ContractedFee, OurLine } from "./lines.ts";

/** Returns the fee of a movement in centavos, 0 or above; undefined if no row covers it. A row that names its brand goes first. */
export function contractedFee(
  fees: readonly ContractedFee[],
  { amountMinor, installment, terms }: Pick<OurLine, "amountMinor" | "installment" | "terms">,
): bigint | undefined {
  if (!terms || amountMinor < 0n) return undefined;
  const rows = fees.filter(
    ({ kind, installmentsFrom, installmentsTo }) =>
      kind === terms.kind && installmentsFrom <= terms.installments && terms.installments <= installmentsTo,
  );
  const row =
    rows.find(({ brand }) => brand !== null && brand.toLowerCase() === terms.brand) ??
    rows.find(({ brand }) => brand === null);
  if (!row) return undefined;
  return shareOf(amountMinor, row.percentPpm) + ((installment ?? 1) === 1 ? row.fixedMinor : 0n);
}

/**
 * Returns our lines with the fees as they were agreed: a movement whose fee is contracted gets a fee line, in place of
 * the one of our books, which repeats what the provider charged and would agree with every overcharge.
 */
export function withContractedFees(
  ours: readonly OurLine[],
  accounts: ReadonlyMap<string, Account>,
): OurLine[] {
  const contracted = new Map<string, OurLine | null>();
  for (const line of ours) {
    const minor = contractedFee(accounts.get(line.accountId)?.fees ?? [], line);
    if (minor !== undefined) contracted.set(movementOf(line), minor === 0n ? null : feeLine(line, minor));
  }
  const kept = ours.filter((line) => line.kind !== "fee" || !contracted.has(movementOf(line)));
  return [...kept, ...[...contracted.values()].filter((line) => line !== null)];
}

function feeLine(line: OurLine, minor: bigint): OurLine {
  return { ...line, id: `fee of ${line.id}`, kind: "fee", amountMinor: -minor, terms: null };
}

function movementOf({ id, accountId, paymentId, installment }: OurLine): string {
  return `${accountId} ${paymentId ?? id} ${installment ?? 1}`;
}
