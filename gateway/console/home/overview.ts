import {
  PaymentStatus,
  type ListedSeal,
  type Payment,
  type PaymentSum,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { daysBefore, today } from "../day.ts";
import { payerNames, paymentName } from "../payments/names.ts";
import { refundSumsByDay } from "../payments/refund-sums.ts";
import type { Visit } from "../visit.ts";

const LATEST = 5;

/** The data of the first page. Data that the user may not see is empty. */
export interface Overview {
  readonly today: string;
  /** The last days, today first. */
  readonly days: readonly string[];
  /** Sums by day: a sealed day's are those of its seal, others are current. */
  readonly sums: ReadonlyMap<string, readonly PaymentSum[]>;
  readonly seals: ReadonlyMap<string, ListedSeal>;
  /** What went back, by day. */
  readonly refunds: ReadonlyMap<string, readonly RefundSum[]>;
  readonly latest: readonly Payment[];
  /** The names of the latest payments, by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

/** Returns the data of so many last days. */
export async function overviewOf(visit: Visit, dayCount: number): Promise<Overview> {
  const { core, as } = visit;
  const to = today();
  const days = Array.from({ length: dayCount }, (_, index) => daysBefore(to, index));
  const from = days.at(-1) ?? to;
  const [summary, seals, refunds, latest] = await Promise.all([
    core.ledger.summarizePayments({ filter: { from, to }, byDay: true }, as),
    core.ledger.listSeals({ from, to }, as),
    refundSumsByDay(visit, { from, to }),
    core.ledger.searchPayments({ filter: { from, to }, limit: LATEST, withDetails: true }, as),
  ]);
  const payers = await payerNames(visit, latest.payments);
  return {
    today: to,
    days,
    sums: new Map([
      ...Map.groupBy(summary.sums, ({ day }) => day ?? ""),
      ...seals.seals.map(({ seal }) => [seal?.day ?? "", seal?.sums ?? []] as const),
    ]),
    seals: new Map(seals.seals.map((listed) => [listed.seal?.day ?? "", listed])),
    refunds,
    latest: latest.payments,
    names: new Map(
      latest.payments.map(({ id }, index) => [id, paymentName(latest.details[index], payers.get(id))]),
    ),
  };
}

/** Returns the number of payments with one of these statuses. */
export function countOf(sums: readonly PaymentSum[], ...statuses: readonly PaymentStatus[]): bigint {
  return sums
    .filter(({ status }) => statuses.includes(status))
    .reduce((total, { paymentCount }) => total + paymentCount, 0n);
}

/** An amount in one currency. */
export interface Money {
  readonly amount: bigint;
  readonly currency: string;
}

const CURRENCY_OF = {
  grossAmount: "grossCurrency",
  feeAmount: "feeCurrency",
  netAmount: "netCurrency",
} as const;

/** Returns the sums of succeeded payments, by currency. */
export function paid(sums: readonly PaymentSum[], amount: keyof typeof CURRENCY_OF): Money[] {
  const succeeded = sums.filter(({ status }) => status === PaymentStatus.SUCCEEDED);
  const byCurrency = Map.groupBy(succeeded, (sum) => sum[CURRENCY_OF[amount]]);
  return [...byCurrency]
    .map(([currency, same]) => ({ currency, amount: same.reduce((total, sum) => total + sum[amount], 0n) }))
    .toSorted((a, b) => a.currency.localeCompare(b.currency));
}
