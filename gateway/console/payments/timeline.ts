import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { PaymentException } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import {
  PaymentState,
  PaymentStatus,
  type GetPaymentBridgeResponse,
  type Payment,
  type Receivable,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card, time } from "../parts/show.ts";
import type { Guest } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { installmentDays } from "./installment-days.ts";
import { refundBadge, type Listed } from "./refund-list.ts";
import { stateOf } from "./state.ts";

interface Step {
  /** Undefined: it is yet to come. */
  readonly at: Timestamp | undefined;
  readonly word: MessageKey;
  readonly more?: Html | string;
}

const UNPAID_ENDS: Readonly<Partial<Record<PaymentStatus, MessageKey>>> = {
  [PaymentStatus.FAILED]: "step_failed",
  [PaymentStatus.EXPIRED]: "step_expired",
};

const APART: Readonly<Record<string, MessageKey>> = {
  late: "step_late",
  duplicate: "step_duplicate",
  wrong_amount: "step_wrong_amount",
};

/** Returns what happened to a payment and its money, oldest first, and what is to come. */
export function timelineCard(
  guest: Guest,
  { details, settlesOn, settledAt }: GetPaymentBridgeResponse,
  {
    payment,
    refunds,
    apart,
    receivables,
  }: {
    readonly payment: Payment;
    readonly refunds: readonly Listed[];
    /** The money that could not become this payment. */
    readonly apart: readonly PaymentException[];
    readonly receivables: readonly Receivable[];
  },
): Html {
  const t = messagesIn(guest.language);
  const { format } = guest;
  const gross = format.money(payment.grossAmount, payment.grossCurrency);
  const net = format.money(payment.netAmount, payment.netCurrency);
  const end = UNPAID_ENDS[payment.status];
  const steps: readonly (Step | undefined)[] = [
    details?.openedAt && { at: details.openedAt, word: "step_opened" },
    { at: payment.createdAt, word: "step_started" },
    details?.paidAt && { at: details.paidAt, word: "step_paid", more: gross },
    end && { at: payment.updatedAt, word: end },
    settledAt && { at: settledAt, word: "step_settled", more: net },
    ...apart.map(({ receivedAt, reason, amount }) => ({
      at: receivedAt,
      word: APART[reason] ?? "step_apart",
      more: format.money(amount, "BRL"),
    })),
    ...refunds.flatMap((refund) => refundSteps(guest, refund)),
  ];
  const happened = steps
    .filter((step) => step !== undefined)
    .toSorted((a, b) => Number((a.at?.seconds ?? 0n) - (b.at?.seconds ?? 0n)));
  const isToSettle = settlesOn !== undefined && !settledAt && stateOf(payment) !== PaymentState.REFUNDED;
  const days = installmentDays(guest, receivables);
  return card(
    t("timeline"),
    html`<ol class="timeline">
      ${happened.map(({ at, word, more }) => item(time(guest, at), t(word), more))}
      ${isToSettle ? item(format.day(settlesOn), t("step_settles"), net) : ""}
      ${days ? item(days, t("step_installments"), format.money(outstandingOf(receivables), "BRL")) : ""}
    </ol>`,
  );
}

function outstandingOf(receivables: readonly Receivable[]): bigint {
  return receivables.reduce((sum, { outstanding }) => sum + outstanding, 0n);
}

function refundSteps(guest: Guest, refund: Listed): Step[] {
  const { by, amount, currency, createdAt, reversedAt } = refund;
  const money = guest.format.money(amount, currency);
  if (by !== "refund_by_provider") {
    return [{ at: createdAt, word: "step_refund", more: html`${money} ${refundBadge(guest, refund)}` }];
  }
  return [
    { at: createdAt, word: "step_returned", more: money },
    ...(reversedAt ? [{ at: reversedAt, word: "step_came_back", more: money } as const] : []),
  ];
}

function item(when: Html | string, what: string, more: Html | string = ""): Html {
  return html`<li><span class="quiet">${when}</span> <span>${what}</span> ${more}</li>`;
}
