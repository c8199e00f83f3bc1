import {
  CreateRefundRequestSchema,
  RefundExceptionRequestSchema,
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
import { allProblems, factsOf, FormProblem } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { exceptionFacts, exceptionOf } from "./exceptions-and-disputes.ts";
import { messagesIn } from "./messages.ts";
import { paymentOf } from "./payment.ts";

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
