import { dayOf } from "../provider/dates.ts";
import type { Fields } from "../provider/json.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { isWithin } from "./lists.ts";
import { amount } from "./messages.ts";
import { invalid } from "./problem.ts";
import type { Account, Line, Payment } from "./state.ts";

interface NewLine {
  readonly type: string;
  readonly valueMinor: bigint;
  readonly payment?: Payment;
}

export function balanceMinor({ lines }: Account): bigint {
  return lines.at(-1)?.balanceMinor ?? 0n;
}

export function addLine(account: Account, { type, valueMinor, payment }: NewLine, deps: AsaasDeps): void {
  account.lines.push({
    id: `fit_${String(deps.ids.next()).padStart(12, "0")}`,
    type,
    valueMinor,
    balanceMinor: balanceMinor(account) + valueMinor,
    on: today(deps),
    description: payment ? `Cobrança ${payment.invoiceNumber}` : "Movimento da conta",
    paymentId: payment?.id ?? null,
  });
}

/** Gives the merchant what is due by now: each payment on its own credit date. */
export function settleDue(account: Account, deps: AsaasDeps): void {
  const day = dayOf(deps.clock.now());
  for (const payment of account.payments.values()) {
    if (payment.status === "CONFIRMED" && payment.creditOn !== null && payment.creditOn <= day) {
      receive(account, payment, deps);
    }
  }
}

/** Makes a payment's money the merchant's, less the fee. */
export function receive(account: Account, payment: Payment, deps: AsaasDeps): void {
  payment.status = "RECEIVED";
  payment.receivedOn = today(deps);
  payment.creditOn ??= payment.receivedOn;
  addLine(account, { type: "PAYMENT_RECEIVED", valueMinor: payment.valueMinor, payment }, deps);
  addLine(account, { type: "PAYMENT_FEE", valueMinor: -payment.feeMinor, payment }, deps);
  const { anticipation } = payment;
  if (anticipation) {
    const valueMinor = -anticipation.valueMinor;
    addLine(account, { type: "RECEIVABLE_ANTICIPATION_DEBIT", valueMinor, payment }, deps);
  }
  deps.tellOfPayment(account, "PAYMENT_RECEIVED", payment);
}

/** Returns the statement's lines of a period, the first one first unless asked otherwise. */
export function listedLines({ lines }: Account, query: URLSearchParams): Line[] {
  const order = query.get("order") ?? "asc";
  if (order !== "asc" && order !== "desc") throw invalid("order", "A ordem é asc ou desc.");
  const days = new URLSearchParams();
  for (const [name, bound] of [
    ["startDate", "day[ge]"],
    ["finishDate", "day[le]"],
  ] as const) {
    const day = query.get(name);
    if (day !== null) days.set(bound, day);
  }
  const found = lines.filter(({ on }) => isWithin(days, "day", on));
  return order === "asc" ? found : found.toReversed();
}

export function feesBody({ fees }: Account, deps: AsaasDeps): Fields {
  const percent = (basisPoints: bigint): object => amount(basisPoints, deps);
  const [once, few, some, many] = fees.cardBasisPoints;
  return {
    payment: {
      creditCard: {
        operationValue: amount(fees.cardFixedMinor, deps),
        oneInstallmentPercentage: percent(once),
        upToSixInstallmentsPercentage: percent(few),
        upToTwelveInstallmentsPercentage: percent(some),
        upToTwentyOneInstallmentsPercentage: percent(many),
        discountOneInstallmentPercentage: null,
        discountUpToSixInstallmentsPercentage: null,
        discountUpToTwelveInstallmentsPercentage: null,
        discountUpToTwentyOneInstallmentsPercentage: null,
        discountExpiration: null,
        daysToReceive: fees.cardDays,
      },
      pix: {
        fixedFeeValue: amount(fees.pixFixedMinor, deps),
        fixedFeeValueWithDiscount: null,
        percentageFee: null,
        minimumFeeValue: null,
        maximumFeeValue: null,
        discountExpiration: null,
        monthlyCreditsWithoutFee: 0,
        creditsReceivedOfCurrentMonth: 0,
      },
    },
  };
}
