import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  CreateRefundRequestSchema,
  RefundExceptionRequestSchema,
  RefundFailureCode,
  RefundStatus,
  type GetRefundableResponse,
} from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { PaymentStatus, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { REFUND_REFUSALS } from "../../../contract/refund-refusals.ts";
import { defined } from "../../../contract/defined.ts";
import { html, type Html } from "../../pages/html.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { minorOf } from "../fields/money-text.ts";
import { idempotent } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { form } from "../form/form.ts";
import { fieldId } from "../parts/form.ts";
import { badge, card, shortTime, time, type Tone } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { allProblems, factsOf, FormProblem } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { exceptionFacts, exceptionOf } from "./exceptions-and-disputes.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { paymentOf } from "./payment.ts";

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
interface Listed {
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

interface Left {
  readonly left: GetRefundableResponse;
}

/** What the forms that give money back have in common. */
const REFUNDING = {
  permission: "payments.refund",
  section: "/payments",
  messages: messagesIn,
  text: "refund_text",
  button: "refund_now",
  asksPassword: true,
  isDangerous: true,
  onlyOnce: true,
  faults: (visit: Visit, typed: Typed) => allProblems([() => amountOf(visit, typed.text("amount"))]),
  fields: {
    amount: { kind: "amount", label: "refund_amount", help: "refund_amount_help" },
    reason: { kind: "text", label: "refund_reason", help: "refund_reason_help" },
  },
  buttonAttributes: (visit: Visit, { left }: Left) =>
    html` data-amount-of="${fieldId("amount")}"
    data-amount-text="${messagesIn(visit.language)("refund_now_of", { amount: "{amount}" })}"
    data-amount-whole="${brl(visit, left.leftAmount)}"`,
} as const;

/** Adds the forms that give back a payment's money, and an exception's. */
export function refundForms(routes: ConsoleRoutes): void {
  form(routes, {
    ...REFUNDING,
    path: "/payments/:id/refund",
    title: "refund_title",
    request: CreateRefundRequestSchema,
    load: async (visit) => {
      const payment = await paymentOf(visit);
      return {
        ...payment,
        left: await visit.core.refunds.getRefundable({ paymentId: payment.id }, visit.as),
      };
    },
    about: leftFacts,
    from: (_, { id, grossAmount, grossCurrency, format }) => ({
      path: `/payments/${id}`,
      title: format.money(grossAmount, grossCurrency),
    }),
    act: async (visit, sent) => {
      const { id } = sent.loaded;
      const request = { id, ...givenIn(visit, sent) };
      await refusedInWords(visit, visit.core.refunds.createRefund(request, idempotent(visit)));
      return `/payments/${id}?done=refunded`;
    },
  });
  form(routes, {
    ...REFUNDING,
    path: "/payments/:id/exceptions/:exception/refund",
    title: "refund_exception_title",
    request: RefundExceptionRequestSchema,
    load: async (visit) => {
      const exception = await exceptionOf(visit);
      const { paymentId, id: exceptionId } = exception;
      const left = await visit.core.refunds.getRefundable({ paymentId, exceptionId }, visit.as);
      return { ...exception, left };
    },
    about: (visit, exception) => html`${exceptionFacts(visit, exception)} ${leftFacts(visit, exception)}`,
    from: (t, { paymentId }) => ({ path: `/payments/${paymentId}`, title: t("payment") }),
    act: async (visit, sent) => {
      const { id, paymentId } = sent.loaded;
      const request = { id, ...givenIn(visit, sent) };
      await refusedInWords(visit, visit.core.refunds.refundException(request, idempotent(visit)));
      return `/payments/${paymentId}?done=refunded`;
    },
  });
}

/** Returns what is left to be given back, and what of the fee does not come back. */
function leftFacts(visit: Visit, { left }: Left): Html {
  const t = messagesIn(visit.language);
  const { leftAmount, keptFeeAmount, feeCurrency } = left;
  const kept = visit.format.money(keptFeeAmount, feeCurrency);
  return html`<p><strong>${t("refund_left", { left: brl(visit, leftAmount) })}</strong></p>
    ${keptFeeAmount > 0n ? html`<p class="note">${t("refund_kept_fee", { fee: kept })}</p>` : ""}`;
}

function brl({ format }: Visit, amount: bigint): string {
  return format.money(amount, "BRL");
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

/** Returns the refunds and returns of a payment, and the refunds of its exceptions, or "" if there are none. */
export async function refundsCard(visit: Visit, { id }: Payment): Promise<Html | ""> {
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const [{ data }, { returns }, { refunds }] = await Promise.all([
    core.refunds.listRefunds({ id, limit: SHOWN_MAX }, as),
    core.refunds.listReturns({ paymentId: id }, as),
    core.refunds.listExceptionRefunds({ paymentId: id }, as),
  ]);
  const rows: Listed[] = [
    ...data.map((one) => ({ ...one, by: "refund_by_merchant" as const })),
    ...refunds.map((one) => ({ ...one, by: "refund_by_exception" as const })),
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
        refund_kind: ({ by, exceptionId = "" }) => t(by, { id: exceptionId }),
        status: ({ status: word, reversedAt, failureCode }) => {
          if (reversedAt) return html`${badge("good", t("refund_reversed"))} ${time(visit, reversedAt)}`;
          const [tone, text] = STATUSES[word] ?? ["plain", "refund_requested"];
          return badge(tone, t(FAILURES[failureCode ?? RefundFailureCode.UNSPECIFIED] ?? text));
        },
        refund_when: ({ createdAt }) => shortTime(visit, createdAt),
        amount: ({ amount, currency }) => visit.format.money(amount, currency),
      },
      numbers: ["amount"],
      empty: html``,
    }),
  );
}

/** Throws FormProblem with the core's reason in the user's language, if it refuses the refund. */
async function refusedInWords({ language, format }: Visit, refund: Promise<unknown>): Promise<void> {
  try {
    await refund;
  } catch (error) {
    const { refusal, left = "0", param = "" } = factsOf(error);
    const why = REFUND_REFUSALS.find((word) => word === refusal);
    if (!why) throw error;
    const text = messagesIn(language)(`refund_${why}`, { left: format.money(BigInt(left), "BRL") });
    throw new FormProblem(param, text);
  }
}

/** Returns the amount and the reason of a sent form. Throws FormProblem. */
function givenIn(visit: Visit, sent: { text(name: "amount" | "reason"): string }) {
  const [amount, reason] = [amountOf(visit, sent.text("amount")), sent.text("reason")];
  return { ...defined({ amount }), ...(reason === "" ? {} : { reason }) };
}

/** Returns the typed amount in centavos, or undefined for all that is left. Throws FormProblem. */
function amountOf({ language }: Visit, text: string): bigint | undefined {
  if (text === "") return undefined;
  const amount = minorOf(text, "BRL", language);
  if (typeof amount === "string")
    throw new FormProblem("amount", fieldMessagesIn(language)(`amount_${amount}`));
  return amount;
}
