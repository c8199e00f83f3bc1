import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { CreateRefundRequestSchema, RefundStatus } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { PaymentStatus, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { minorOf } from "../fields/money-text.ts";
import { idempotent } from "../fields/submission.ts";
import { form } from "../form/form.ts";
import { badge, card, time, type Tone } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { FormProblem } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const SHOWN_MAX = 100;

const STATUSES: Readonly<Record<RefundStatus, readonly [Tone, MessageKey]>> = {
  [RefundStatus.UNSPECIFIED]: ["plain", "refund_requested"],
  [RefundStatus.REQUESTED]: ["warn", "refund_requested"],
  [RefundStatus.PROCESSING]: ["warn", "refund_processing"],
  [RefundStatus.SUCCEEDED]: ["good", "refund_succeeded"],
  [RefundStatus.FAILED]: ["bad", "refund_failed"],
};

/** Money that went back, or is about to. */
interface Listed {
  readonly id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly createdAt?: Timestamp | undefined;
  readonly status: RefundStatus;
  readonly by: MessageKey;
}

/** Adds the form that gives a payment's money back. */
export function refundForm(routes: ConsoleRoutes): void {
  form(routes, {
    permission: "payments.refund",
    section: "/payments",
    messages: messagesIn,
    path: "/payments/:id/refund",
    title: "refund_title",
    text: "refund_text",
    button: "refund_now",
    asksPassword: true,
    isDangerous: true,
    onlyOnce: true,
    request: CreateRefundRequestSchema,
    fields: {
      amount: { kind: "text", label: "refund_amount", help: "refund_amount_help", refused: "refund_refused" },
      reason: { kind: "text", label: "refund_reason", help: "refund_reason_help" },
    },
    load: paymentOf,
    from: (_, { id, grossAmount, grossCurrency, format }) => ({
      path: `/payments/${id}`,
      title: format.money(grossAmount, grossCurrency),
    }),
    act: async (visit, sent) => {
      const [amount, reason] = [amountOf(visit, sent.text("amount")), sent.text("reason")];
      const { id } = sent.loaded;
      const given = { ...(amount === undefined ? {} : { amount }), ...(reason === "" ? {} : { reason }) };
      await visit.core.refunds.createRefund({ id, ...given }, idempotent(visit));
      return `/payments/${id}?done=refunded`;
    },
  });
}

/** Returns the link to the form, or "" if the user may not use it or there is nothing to give back. */
export function refundLink(visit: Visit, payment: Payment): Html | "" {
  const { id, status, paymentMethod, grossAmount, refundedAmount = 0n } = payment;
  const isPossible =
    status === PaymentStatus.SUCCEEDED &&
    paymentMethod !== PaymentMethod.TED &&
    refundedAmount < grossAmount &&
    visit.can("payments.refund");
  if (!isPossible) return "";
  const t = messagesIn(visit.language);
  return html`<a class="button" href="${visit.path(`/payments/${id}/refund`)}">${t("refund_now")}</a>`;
}

/** Returns the refunds and returns of a payment, or "" if there are none. */
export async function refundsCard(visit: Visit, { id, status }: Payment): Promise<Html | ""> {
  if (status !== PaymentStatus.SUCCEEDED) return "";
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const [{ data }, { returns }] = await Promise.all([
    core.refunds.listRefunds({ id, limit: SHOWN_MAX }, as),
    core.refunds.listReturns({ paymentId: id }, as),
  ]);
  const rows: Listed[] = [
    ...data.map((one) => ({ ...one, by: "refund_by_merchant" as const })),
    ...returns.map((one) => ({
      ...one,
      status: RefundStatus.SUCCEEDED,
      by: "refund_by_provider" as const,
    })),
  ];
  if (rows.length === 0) return "";
  return card(
    t("refunds"),
    rowTable(t, {
      caption: t("refunds"),
      rows,
      columns: {
        refund: ({ id: refundId }) => html`<span class="id">${refundId}</span>`,
        refund_kind: ({ by }) => t(by),
        status: ({ status: word }) => {
          const [tone, text] = STATUSES[word] ?? ["plain", "refund_requested"];
          return badge(tone, t(text));
        },
        refund_when: ({ createdAt }) => time(visit, createdAt),
        amount: ({ amount, currency }) => visit.format.money(amount, currency),
      },
      numbers: ["amount"],
      empty: html``,
    }),
  );
}

/** Returns the payment in the path. Throws Refused when the company has no such payment. */
async function paymentOf(visit: Visit): Promise<Payment & Pick<Visit, "format">> {
  const { payment } = await visit.core.ledger.getPayment({ id: visit.part("id") }, visit.as);
  if (!payment) throw new Refused("unknown", visit);
  return { ...payment, format: visit.format };
}

/** Returns the typed amount in centavos, or undefined for all that is left. Throws FormProblem. */
function amountOf({ language }: Visit, text: string): bigint | undefined {
  if (text === "") return undefined;
  const amount = minorOf(text, "BRL", language);
  if (typeof amount === "string")
    throw new FormProblem("amount", fieldMessagesIn(language)(`amount_${amount}`));
  return amount;
}
