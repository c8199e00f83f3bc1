import type { Item, Paylink } from "@paylink/sdk";
import type { Order } from "./orders.ts";

type Payment = Item<"listPayments">;

/** Sums of one currency, in its smallest unit. */
interface Sums {
  gross: number;
  net: number;
  /** What went back to payers of these payments until now. The bank shows it on the day on which it left. */
  refunded: number;
}

export interface Closing {
  readonly payments: number;
  /** By currency: gross is what payers paid, net what the shop gets before refunds. */
  readonly sums: Readonly<Record<string, Sums>>;
  /** What the shop and the service do not agree on; empty when the day closes. */
  readonly differences: readonly string[];
}

const PAGE = 100;

/** Today's date for Brazilian banks, in any time zone of this machine. */
export function bankingDay(now: Date): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(now);
}

/** Sums what succeeded on the day and compares it, order by order, with what the shop knows. */
export async function closeDay(paylink: Paylink, day: string, orders: readonly Order[]): Promise<Closing> {
  const sums: Record<string, Sums> = {};
  const succeeded = new Map<string, Payment>();
  let payments = 0;
  for await (const payment of paylink.all("listPayments", { from: day, to: day, limit: PAGE })) {
    if (payment.status !== "succeeded") continue;
    payments += 1;
    succeeded.set(payment.id, payment);
    const gross = (sums[payment.gross_currency] ??= nothing());
    gross.gross += payment.gross_amount;
    gross.refunded += payment.refunded_amount ?? 0;
    (sums[payment.net_currency] ??= nothing()).net += payment.net_amount;
  }
  return { payments, sums, differences: orders.flatMap((order) => differencesOf(order, succeeded)) };
}

function nothing(): Sums {
  return { gross: 0, net: 0, refunded: 0 };
}

function differencesOf(order: Order, succeeded: ReadonlyMap<string, Payment>): string[] {
  const { reference, paymentId, total, currency } = order;
  const payment = paymentId === undefined ? undefined : succeeded.get(paymentId);
  if (!payment) return paymentId === undefined ? [] : [`${reference} is paid here but not there`];
  if (payment.gross_amount === total && payment.gross_currency === currency) return [];
  return [
    `${reference} is ${total} ${currency} here and ${payment.gross_amount} ${payment.gross_currency} there`,
  ];
}
