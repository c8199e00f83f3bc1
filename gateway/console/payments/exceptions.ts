import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PaymentExceptionOrder,
  type PaymentException,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import { badge, card, facts, shortCode, shortId, shortTime, time } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const PAGE = 20;
const SHOWN_MAX = 100;
const orders = wordsOf(PaymentExceptionOrder);
const NUMBERS = ["came_in", "to_give_back", "refunded_amount"] as const;

const REASONS: Readonly<Record<string, MessageKey>> = {
  late: "exception_late",
  duplicate: "exception_duplicate",
  wrong_amount: "exception_wrong_amount",
};

/** The money that could not become a payment, latest first. */
export const exceptionsList = list({
  path: "/payments/exceptions",
  permission: "payments.read",
  messages: messagesIn,
  title: "exceptions",
  lead: "exceptions_lead",
  trail: { path: "/payments", title: "title" },
  sorts: {
    refund_when: ["received_desc", "received_asc"],
    came_in: ["amount_desc", "amount_asc"],
  },
  fetch: async ({ core, as }, { cursor, order: word }) => {
    const order = orders.numberOf(word) ?? PaymentExceptionOrder.RECEIVED_DESC;
    const { exceptions, nextCursor, exceptionCount } = await core.checkout.listPaymentExceptions(
      { limit: PAGE, ...cursor, order, isCounted: true },
      as,
    );
    return { rows: exceptions, next: nextCursor, exceptionCount };
  },
  total: ({ exceptionCount = 0 }) => BigInt(exceptionCount),
  totalMax: COUNTED_MAX,
  columns: ({ visit }) => ({
    ...columnsOf(visit),
    payment: ({ paymentId }) => shortId(visit, paymentId, `/payments/${paymentId}`),
  }),
  numbers: NUMBERS,
  isOfLines: true,
  empty: () => ["exceptions_none"],
});

/** Returns the exceptions of a payment, or "" if it has none. */
export async function exceptionsCard(visit: Visit, paymentId: string): Promise<Html | ""> {
  const { core, as } = visit;
  const { exceptions } = await core.checkout.listPaymentExceptions({ paymentId, limit: SHOWN_MAX }, as);
  if (exceptions.length === 0) return "";
  const t = messagesIn(visit.language);
  return card(
    t("exceptions"),
    html`<p class="quiet">${t("exceptions_lead")}</p>
      ${rowTable(t, {
        caption: t("exceptions"),
        rows: exceptions,
        columns: columnsOf(visit),
        numbers: NUMBERS,
        empty: html``,
      })}`,
  );
}

/** Returns the exception in the path, of the payment in it. Throws Refused when the company has no such exception. */
export async function exceptionOf(visit: Visit): Promise<PaymentException> {
  const [paymentId, id] = [visit.part("id"), visit.part("exception")];
  const request = { paymentId, limit: SHOWN_MAX };
  const { exceptions } = await visit.core.checkout.listPaymentExceptions(request, visit.as);
  const exception = exceptions.find((one) => one.id === id);
  if (!exception) throw new Refused("unknown", visit);
  return exception;
}

export function exceptionFacts(visit: Visit, exception: PaymentException): Html {
  const t = messagesIn(visit.language);
  const { id, receivedAt, reason, amount, proposedRefund, refundAmount } = exception;
  return facts([
    [t("id"), html`<code class="id">${id}</code>`],
    [t("refund_when"), time(visit, receivedAt)],
    [t("failure"), t(REASONS[reason] ?? "exception_other")],
    [t("came_in"), visit.format.money(amount, "BRL")],
    [t("to_give_back"), visit.format.money(proposedRefund, "BRL")],
    [t("refunded_amount"), visit.format.money(refundAmount, "BRL")],
  ]);
}

/** Returns the link to the form that gives an exception back, or "" if the user may not use it. */
function refundLink(visit: Visit, { id, paymentId }: PaymentException): Html | "" {
  if (!visit.can("payments.refund")) return "";
  const t = messagesIn(visit.language);
  const path = visit.path(`/payments/${paymentId}/exceptions/${id}/refund`);
  return html`<a class="button" href="${path}" aria-label="${t("refund_now")} ${id}">${t("refund_now")}</a>`;
}

function columnsOf(visit: Visit): Columns<MessageKey, PaymentException> {
  const t = messagesIn(visit.language);
  const money = (amount: bigint): string => visit.format.money(amount, "BRL");
  return {
    id: ({ id }) => shortCode(visit, id),
    refund_when: ({ receivedAt }) => shortTime(visit, receivedAt),
    failure: ({ reason }) => t(REASONS[reason] ?? "exception_other"),
    came_in: ({ amount }) => money(amount),
    to_give_back: ({ proposedRefund }) => money(proposedRefund),
    refunded_amount: ({ refundAmount }) => money(refundAmount),
    status: (exception) =>
      exception.refundAmount < exception.proposedRefund
        ? html`${badge("warn", t("exception_open"))} ${refundLink(visit, exception)}`
        : badge("good", t("exception_given_back")),
  };
}
