import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  PaymentStatus,
  type ListedSeal,
  type Payment,
  type PaymentSum,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { DeliveryStatus, type WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { daysBefore, today } from "../day.ts";
import { refundSumsByDay } from "../payments/refund-sums.ts";
import type { Visit } from "../visit.ts";

const DAYS = 7;
const LATEST = 6;
const COUNTED_MAX = 100;
/** For so many days money can be given back by a request. */
const REFUND_DAYS = 90;
/** A dispute whose last day is within so many days is urgent. */
const DEADLINE_DAYS = 3;
const DAY_MS = 86_400_000;

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
  /** Money that could not become a payment and can be given back, at most 100. */
  readonly exceptionCount: number;
  /** In the last 24 hours, at most 100. */
  readonly failedDeliveryCount: number;
  readonly goneEndpoints: readonly WebhookEndpoint[];
  readonly unknownMoneyCount: number;
  /** Contests of card holders that wait for the merchant's documents, at most 100. */
  readonly disputeCount: number;
  /** Those of them whose last day is within three days. */
  readonly deadlineCount: number;
  /** Payments whose money is overdue at their card provider, at most 100. */
  readonly overdueCount: number;
}

export async function overviewOf(visit: Visit): Promise<Overview> {
  const { core, as } = visit;
  const to = today();
  const days = Array.from({ length: DAYS }, (_, index) => daysBefore(to, index));
  const from = days.at(-1) ?? to;
  const [summary, seals, refunds, latest, exceptions, deliveries, endpoints, unknown, waiting, late] =
    await Promise.all([
      core.ledger.summarizePayments({ filter: { from, to }, byDay: true }, as),
      core.ledger.listSeals({ from, to }, as),
      refundSumsByDay(visit, { from, to }),
      core.ledger.searchPayments({ filter: { from, to }, limit: LATEST }, as),
      core.checkout.listPaymentExceptions({ limit: COUNTED_MAX, isOpen: true }, as),
      visit.can("webhooks.read") ? failedDeliveries(visit) : undefined,
      visit.can("webhooks.read") ? core.webhooks.listWebhookEndpoints({}, as) : undefined,
      visit.can("providers.read") && visit.accounts.length > 0
        ? core.providers.listUnknownMoney({}, as)
        : undefined,
      core.refunds.listDisputes({ needsResponse: true, limit: COUNTED_MAX }, as),
      core.ledger.listOverdueReceivables({ limit: COUNTED_MAX }, as),
    ]);
  const lastDay = daysBefore(to, -DEADLINE_DAYS);
  const refundableSince = Date.now() - REFUND_DAYS * DAY_MS;
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
    exceptionCount: exceptions.exceptions.filter(
      ({ receivedAt }) => receivedAt && timestampMs(receivedAt) >= refundableSince,
    ).length,
    failedDeliveryCount: deliveries?.deliveries.length ?? 0,
    goneEndpoints: (endpoints?.endpoints ?? []).filter(({ disabledReason }) => disabledReason === "gone"),
    unknownMoneyCount: unknown?.money.length ?? 0,
    disputeCount: waiting.disputes.length,
    deadlineCount: waiting.disputes.filter(({ respondBy }) => respondBy !== undefined && respondBy <= lastDay)
      .length,
    overdueCount: late.overdue.length,
  };
}

async function failedDeliveries({ core, as }: Visit) {
  const since = timestampFromMs(Date.now() - DAY_MS);
  return await core.webhooks.listDeliveries({ status: DeliveryStatus.FAILED, since, limit: COUNTED_MAX }, as);
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
