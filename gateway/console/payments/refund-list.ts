import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { RefundFailureCode, RefundStatus } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, card, shortTime, time, type Tone } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

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

/** Returns the refunds and returns of a payment, and the refunds of its exceptions. */
export async function refundsOf({ core, as }: Visit, { id }: Payment): Promise<Listed[]> {
  const [{ data }, { returns }, { refunds }] = await Promise.all([
    core.refunds.listRefunds({ id, limit: SHOWN_MAX }, as),
    core.refunds.listReturns({ paymentId: id }, as),
    core.refunds.listExceptionRefunds({ paymentId: id }, as),
  ]);
  return [
    ...data.map((one) => ({ ...one, by: "refund_by_merchant" as const })),
    ...refunds.map((one) => ({ ...one, by: "refund_by_exception" as const })),
    ...returns.map((one) => ({
      ...one,
      status: RefundStatus.SUCCEEDED,
      by: "refund_by_provider" as const,
    })),
  ];
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
      columns: {
        refund: ({ id: refundId }) => html`<span class="id">${refundId}</span>`,
        refund_kind: ({ by, exceptionId = "" }) => t(by, { id: exceptionId }),
        status: (one) =>
          one.reversedAt
            ? html`${badge("good", t("refund_reversed"))} ${time(visit, one.reversedAt)}`
            : refundBadge(visit, one),
        refund_when: ({ createdAt }) => shortTime(visit, createdAt),
        amount: ({ amount, currency }) => visit.format.money(amount, currency),
      },
      numbers: ["amount"],
      empty: html``,
    }),
  );
}

/** Returns how a refund stands, in a word, or why it failed. */
export function refundBadge(
  guest: Guest,
  { status, failureCode = RefundFailureCode.UNSPECIFIED }: Pick<Listed, "status" | "failureCode">,
): Html {
  const [tone, text] = STATUSES[status] ?? ["plain", "refund_requested"];
  return badge(tone, messagesIn(guest.language)(FAILURES[failureCode] ?? text));
}
