import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  RefundFailureCode,
  RefundOrder,
  RefundStatus,
  type ListedRefund,
  type PaymentReturn,
  type Refund,
} from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import { badge, card, shortCode, shortId, time, type Tone } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const PAGE = 20;
const SHOWN_MAX = 100;

const STATUSES: Readonly<Record<RefundStatus, readonly [Tone, MessageKey]>> = {
  [RefundStatus.UNSPECIFIED]: ["plain", "refund_requested"],
  [RefundStatus.REQUESTED]: ["warn", "refund_requested"],
  [RefundStatus.PROCESSING]: ["warn", "refund_processing"],
  [RefundStatus.SUCCEEDED]: ["good", "refund_succeeded"],
  [RefundStatus.FAILED]: ["bad", "refund_failed"],
};

const FAILURES: Readonly<Partial<Record<RefundFailureCode, MessageKey>>> = {
  [RefundFailureCode.INSUFFICIENT_BALANCE]: "refund_failed_balance",
};

/** Money that went back, or is about to. */
export interface Listed {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly createdAt?: Timestamp | undefined;
  readonly status: RefundStatus;
  readonly failureCode?: RefundFailureCode | undefined;
  /** When its money came back. */
  readonly reversedAt?: Timestamp | undefined;
  readonly by: MessageKey;
  /** The exception whose money it is. */
  readonly exceptionId?: string | undefined;
}

function ofMerchant(refund: Refund): Listed {
  const by = refund.exceptionId === undefined ? "refund_by_merchant" : "refund_by_exception";
  return { ...refund, by };
}

function ofProvider(one: PaymentReturn): Listed {
  return { ...one, status: RefundStatus.SUCCEEDED, by: "refund_by_provider" };
}

function columns(visit: Visit): Columns<MessageKey, Listed> {
  const t = messagesIn(visit.language);
  return {
    refund: ({ id }) => shortCode(visit, id),
    refund_kind: ({ by, exceptionId = "" }) => t(by, { id: exceptionId }),
    status: (one) =>
      one.reversedAt
        ? html`${badge("good", t("refund_reversed"))} ${time(visit, one.reversedAt)}`
        : refundBadge(visit, one),
    refund_when: ({ createdAt }) => time(visit, createdAt),
    amount: ({ amount, currency }) => visit.format.money(amount, currency),
  };
}

/** Returns the refunds and returns of a payment, and the refunds of its exceptions. */
export async function refundsOf({ core, as }: Visit, { id }: Payment): Promise<Listed[]> {
  const [{ data }, { returns }, { refunds }] = await Promise.all([
    core.refunds.listRefunds({ id, limit: SHOWN_MAX }, as),
    core.refunds.listReturns({ paymentId: id }, as),
    core.refunds.listExceptionRefunds({ paymentId: id }, as),
  ]);
  return [...data.map(ofMerchant), ...refunds.map(ofMerchant), ...returns.map(ofProvider)];
}

/** Returns the table of a payment's refunds and returns, or "" if there are none. */
export function refundsCard(visit: Visit, rows: readonly Listed[]): Html | "" {
  const t = messagesIn(visit.language);
  if (rows.length === 0) return "";
  return card(
    t("refunds"),
    rowTable(t, {
      caption: t("refunds"),
      rows,
      columns: columns(visit),
      numbers: ["amount"],
      empty: html``,
    }),
  );
}

const orders = wordsOf(RefundOrder);

/** All refunds of the company, and what providers gave back by themselves. */
export const refundsList = list({
  path: "/payments/refunds",
  permission: "payments.read",
  messages: messagesIn,
  title: "refunds",
  lead: "refunds_lead",
  trail: { path: "/payments", title: "title" },
  sorts: { refund_when: ["created_desc", "created_asc"], amount: ["amount_desc", "amount_asc"] },
  fetch: async ({ core, as }, { cursor, order: word }) => {
    const order = orders.numberOf(word);
    const asked = { limit: PAGE, ...cursor, ...(order ? { order } : {}) };
    const { refunds, nextCursor, refundCount } = await core.refunds.listAllRefunds(asked, as);
    return { rows: refunds.flatMap(listed), next: nextCursor, count: refundCount };
  },
  total: ({ count }) => BigInt(count),
  totalMax: COUNTED_MAX,
  columns: ({ visit }) => ({
    ...columns(visit),
    payment: ({ paymentId }) => shortId(visit, paymentId, `/payments/${paymentId}`),
  }),
  numbers: ["amount"],
  isOfLines: true,
  pocket: ["status", "refund_when", "payment"],
  empty: () => ["refunds_none"],
});

function listed({ refund, paymentReturn }: ListedRefund): Listed[] {
  if (refund) return [ofMerchant(refund)];
  return paymentReturn ? [ofProvider(paymentReturn)] : [];
}

/** Returns how a refund stands, in a word, or why it failed. */
export function refundBadge(
  guest: Guest,
  { status, failureCode = RefundFailureCode.UNSPECIFIED }: Pick<Listed, "status" | "failureCode">,
): Html {
  const [tone, text] = STATUSES[status] ?? ["plain", "refund_requested"];
  return badge(tone, messagesIn(guest.language)(FAILURES[failureCode] ?? text));
}
