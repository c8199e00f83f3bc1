import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PaymentExceptionOrder,
  type PaymentException,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DisputeOrder, DisputeStatus, type Dispute } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import { badge, card, facts, shortCode, shortId, time, type Tone } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { disputeReasonText } from "./dispute-reasons.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { UNRESOLVED, unresolvedTabs } from "./unresolved.ts";

const PAGE = 20;
const SHOWN_MAX = 100;

/** What the list of all asks the core for, or the card of one payment. */
type Asked =
  | {
      readonly limit: number;
      readonly startingAfter?: string;
      readonly order: string;
      readonly isCounted: true;
    }
  | { readonly limit: number; readonly paymentId: string };

interface Parts<Row> {
  readonly name: "exceptions" | "disputes";
  readonly sorts: Readonly<Partial<Record<MessageKey, readonly [string, string]>>>;
  readonly numbers: readonly MessageKey[];
  /** The columns of a phone's second line, before the payment. */
  readonly pocket: readonly MessageKey[];
  readonly columns: (visit: Visit) => Columns<MessageKey, Row>;
  readonly fetch: (
    visit: Visit,
    asked: Asked,
  ) => Promise<{
    readonly rows: readonly Row[];
    readonly next: string | undefined;
    readonly count: number | undefined;
  }>;
}

/** Returns a list of all rows of a kind, latest first, and a card with those of a payment. */
function ofPayments<Row extends { readonly paymentId: string }>(parts: Parts<Row>) {
  const { name, sorts, numbers, pocket, columns, fetch } = parts;
  return {
    list: list({
      path: `/payments/${name}`,
      permission: "payments.read",
      messages: messagesIn,
      title: name,
      lead: `${name}_lead`,
      above: ({ visit }) => unresolvedTabs(visit, `/payments/${name}`),
      section: UNRESOLVED,
      sorts,
      fetch: async (visit, { cursor, order }) =>
        await fetch(visit, { limit: PAGE, ...cursor, order, isCounted: true }),
      total: ({ count = 0 }) => BigInt(count),
      totalMax: COUNTED_MAX,
      columns: ({ visit }) => ({
        ...columns(visit),
        payment: ({ paymentId }: Row) => shortId(visit, paymentId, `/payments/${paymentId}`),
      }),
      numbers,
      isOfLines: true,
      pocket: [...pocket, "payment"],
      empty: () => [`${name}_none`],
    }),
    /** Returns those of a payment. */
    of: async (visit: Visit, paymentId: string): Promise<readonly Row[]> =>
      (await fetch(visit, { paymentId, limit: SHOWN_MAX })).rows,
    /** Returns "" without rows. */
    card: (visit: Visit, rows: readonly Row[]): Html | "" => {
      if (rows.length === 0) return "";
      const t = messagesIn(visit.language);
      const shown = { caption: t(name), rows, columns: columns(visit), numbers, empty: html`` };
      return card(
        t(name),
        html`<p class="quiet">${t(`${name}_lead`)}</p>
          ${rowTable(t, shown)}`,
      );
    },
  };
}

const disputeOrders = wordsOf(DisputeOrder);

const DISPUTE_STATUSES: Readonly<Record<DisputeStatus, readonly [Tone, MessageKey]>> = {
  [DisputeStatus.UNSPECIFIED]: ["plain", "dispute_under_review"],
  [DisputeStatus.NEEDS_RESPONSE]: ["bad", "dispute_needs_response"],
  [DisputeStatus.UNDER_REVIEW]: ["warn", "dispute_under_review"],
  [DisputeStatus.WON]: ["good", "dispute_won"],
  [DisputeStatus.LOST]: ["plain", "dispute_lost"],
};

/** The contests of payers. */
export const disputes = ofPayments<Dispute>({
  name: "disputes",
  sorts: { opened_on: ["opened_desc", "opened_asc"], amount: ["amount_desc", "amount_asc"] },
  numbers: ["amount"],
  pocket: ["status", "respond_by"],
  fetch: async ({ core, as }, asked) => {
    const order =
      "order" in asked ? (disputeOrders.numberOf(asked.order) ?? DisputeOrder.OPENED_DESC) : undefined;
    const found = await core.refunds.listDisputes({ ...asked, order }, as);
    return { rows: found.disputes, next: found.nextCursor, count: found.disputeCount };
  },
  columns: (visit) => {
    const t = messagesIn(visit.language);
    const day = (text: string | undefined): string => (text === undefined ? "—" : visit.format.day(text));
    return {
      dispute: ({ id }) => shortCode(visit, id),
      status: ({ status }) => {
        const [tone, text] = DISPUTE_STATUSES[status] ?? ["plain", "dispute_under_review"];
        return badge(tone, t(text));
      },
      respond_by: ({ respondBy }) =>
        respondBy === undefined
          ? "—"
          : html`<span class="phone-only">${t("respond_by")}</span> ${day(respondBy)}`,
      opened_on: ({ openedOn }) => day(openedOn),
      dispute_reason: ({ reason }) => (reason === undefined ? "—" : disputeReasonText(visit, reason)),
      installment: ({ installment }) => (installment === 0 ? "—" : String(installment)),
      amount: ({ amount, currency }) => visit.format.money(amount, currency),
    };
  },
});

const exceptionOrders = wordsOf(PaymentExceptionOrder);

const EXCEPTION_REASONS: Readonly<Record<string, MessageKey>> = {
  late: "exception_late",
  duplicate: "exception_duplicate",
  wrong_amount: "exception_wrong_amount",
};

/** The money that could not become a payment. */
export const exceptions = ofPayments<PaymentException>({
  name: "exceptions",
  sorts: { refund_when: ["received_desc", "received_asc"], came_in: ["amount_desc", "amount_asc"] },
  numbers: ["came_in", "to_give_back", "refunded_amount"],
  pocket: ["failure", "status"],
  fetch: async ({ core, as }, asked) => {
    const order =
      "order" in asked
        ? (exceptionOrders.numberOf(asked.order) ?? PaymentExceptionOrder.RECEIVED_DESC)
        : undefined;
    const found = await core.checkout.listPaymentExceptions({ ...asked, order }, as);
    return { rows: found.exceptions, next: found.nextCursor, count: found.exceptionCount };
  },
  columns: (visit) => {
    const t = messagesIn(visit.language);
    const money = (amount: bigint): string => visit.format.money(amount, "BRL");
    return {
      id: ({ id }) => shortCode(visit, id),
      refund_when: ({ receivedAt }) => time(visit, receivedAt),
      failure: ({ reason }) => t(EXCEPTION_REASONS[reason] ?? "exception_other"),
      came_in: ({ amount }) => money(amount),
      to_give_back: ({ proposedRefund }) => money(proposedRefund),
      refunded_amount: ({ refundAmount }) => money(refundAmount),
      status: (exception) =>
        exception.refundAmount < exception.proposedRefund
          ? html`${badge("warn", t("exception_open"))}
              <span class="wide-only">${byItself(visit, exception)}</span> ${refundLink(visit, exception)}`
          : badge("good", t("exception_given_back")),
    };
  },
});

/** Returns when the money goes back by itself, or "" if a person gives it back. */
function byItself(visit: Visit, { refundAt }: PaymentException): Html | "" {
  if (!refundAt) return "";
  return html`<span class="quiet"
    >${messagesIn(visit.language)("exception_by_itself")} ${time(visit, refundAt)}</span
  >`;
}

/** Returns the exception in the path, of the payment in it. Throws Refused when the company has no such exception. */
export async function exceptionOf(visit: Visit): Promise<PaymentException> {
  const [paymentId, id] = [visit.part("id"), visit.part("exception")];
  const request = { paymentId, limit: SHOWN_MAX };
  const found = await visit.core.checkout.listPaymentExceptions(request, visit.as);
  const exception = found.exceptions.find((one) => one.id === id);
  if (!exception) throw new Refused("unknown", visit);
  return exception;
}

export function exceptionFacts(visit: Visit, exception: PaymentException): Html {
  const t = messagesIn(visit.language);
  const { id, receivedAt, reason, amount, proposedRefund, refundAmount } = exception;
  return facts([
    [t("id"), html`<code class="id">${id}</code>`],
    [t("refund_when"), time(visit, receivedAt)],
    [t("failure"), t(EXCEPTION_REASONS[reason] ?? "exception_other")],
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
