import { bankDay, dayOf, plusDays } from "../provider/dates.ts";
import type { Fields } from "../provider/json.ts";
import type { PagarmeDeps } from "./deps.ts";
import { payableBody } from "./messages.ts";
import { invalid } from "./problem.ts";
import type { Account, Charge, Payable } from "./state.ts";

const DAYS = 30;
const SIZE_MAX = 1000;

/** Adds one payable an installment: the n-th is paid after n times 30 days, on a day when banks work. */
export function addCredits(account: Account, charge: Charge, deps: PagarmeDeps): void {
  const { amountMinor, installments } = charge;
  const fees = parts((amountMinor * account.feeBasisPoints + 5_000n) / 10_000n, installments, account.rest);
  const from = dayOf(deps.clock.now());
  for (const [index, partMinor] of parts(amountMinor, installments, account.rest).entries()) {
    const on = bankDay(plusDays(from, DAYS * (index + 1)));
    add(
      account,
      charge,
      { type: "credit", amountMinor: partMinor, feeMinor: fees[index] ?? 0n, on, index },
      deps,
    );
  }
}

/** Takes back what was refunded or charged back: from each installment its part, or all from one. */
export function addDebits(
  account: Account,
  charge: Charge,
  { type, amountMinor, installment }: Debit,
  deps: PagarmeDeps,
): void {
  const credits = creditsOf(account, charge);
  const sign = type === "chargeback_refund" ? 1n : -1n;
  const debits: (readonly [number, bigint])[] =
    installment === undefined
      ? [...parts(amountMinor, charge.installments, account.rest).entries()]
      : [[installment - 1, amountMinor]];
  for (const [index, partMinor] of debits) {
    const on = credits[index]?.paymentOn ?? dayOf(deps.clock.now());
    add(account, charge, { type, amountMinor: sign * partMinor, feeMinor: 0n, on, index }, deps);
  }
}

/** Pays an installment before its day, for a fee. */
export function anticipate(
  account: Account,
  charge: Charge,
  installment: number,
  feeMinor: bigint,
  { clock }: PagarmeDeps,
): void {
  const credit = creditsOf(account, charge)[installment - 1];
  if (!credit) throw new Error(`the charge ${charge.id} has no installment ${installment}`);
  credit.anticipationFeeMinor = feeMinor;
  credit.paymentOn = dayOf(clock.now());
}

/** Returns what the merchant has by now: each payable moves it on its day, less its fees, and each payout takes it. */
export function balanceMinor({ payables, settlements }: Account, { clock }: PagarmeDeps): bigint {
  const day = dayOf(clock.now());
  const cameMinor = payables
    .filter(({ paymentOn }) => paymentOn <= day)
    .reduce((sum, one) => sum + one.amountMinor - one.feeMinor - one.anticipationFeeMinor, 0n);
  return settlements
    .filter(({ status }) => status === "success")
    .reduce((rest, { amountMinor }) => rest - amountMinor, cameMinor);
}

export function creditsOf({ payables }: Account, charge: Charge): Payable[] {
  return payables.filter((one) => one.charge === charge && one.type === "credit");
}

interface Debit {
  readonly type: "refund" | "chargeback" | "chargeback_refund";
  readonly amountMinor: bigint;
  readonly installment?: number | undefined;
}

/** What a division leaves is in one part. */
function parts(totalMinor: bigint, count: number, rest: "first" | "last"): bigint[] {
  const each = totalMinor / BigInt(count);
  const withRest = totalMinor - each * BigInt(count - 1);
  const place = rest === "first" ? 0 : count - 1;
  return Array.from({ length: count }, (_, index) => (index === place ? withRest : each));
}

interface NewPayable extends Pick<Payable, "type" | "amountMinor" | "feeMinor"> {
  readonly on: string;
  readonly index: number;
}

function add(account: Account, charge: Charge, { on, index, ...rest }: NewPayable, deps: PagarmeDeps): void {
  account.payables.push({
    ...rest,
    id: 1_000_000 + deps.ids.next(),
    charge,
    installment: index + 1,
    createdAt: deps.clock.now(),
    originalOn: on,
    anticipationFeeMinor: 0n,
    paymentOn: on,
  });
}

const FILTERS: Readonly<Record<string, (row: Fields) => unknown>> = {
  charge_id: (row) => row["charge_id"],
  type: (row) => row["type"],
  status: (row) => row["status"],
  recipient_id: (row) => row["recipient_id"],
};

/** Returns a page of payables, the first one first, with the cursor of the next page. */
export function payablesBody(account: Account, query: URLSearchParams, deps: PagarmeDeps): Fields {
  const size = Number(query.get("size") ?? "10");
  if (!Number.isInteger(size) || size < 1 || size > SIZE_MAX)
    throw invalid("size", "The size is from 1 to 1000.");
  const after = Number(query.get("forward_cursor") ?? "0");
  const day = dayOf(deps.clock.now());
  const found = account.payables
    .filter(({ id }) => id > after)
    .map((payable) => payableBody(payable, day))
    .filter((row) =>
      Object.entries(FILTERS).every(
        ([name, valueOf]) => !query.has(name) || query.get(name) === valueOf(row),
      ),
    )
    .filter((row) => isWithin(query, "payment_date", row["payment_date"]))
    .filter((row) => isWithin(query, "created", row["created_at"]));
  const data = found.slice(0, size);
  return { data, paging: { forward_cursor: found.length > size ? data.at(-1)?.["id"] : null } };
}

function isWithin(query: URLSearchParams, name: string, value: unknown): boolean {
  const at = Date.parse(String(value));
  const [since, until] = [query.get(`${name}_since`), query.get(`${name}_until`)];
  return (since === null || at >= Date.parse(since)) && (until === null || at <= Date.parse(until));
}
