import { PaymentException } from "../checkout/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { refunded, reserved } from "../ledger/refunding.ts";
import { findPayment } from "../ledger/repository.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import { update, type Change } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { findPrice } from "../pricing/repository.ts";
import type { EventContent } from "../webhooks/event.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund, type RefundRow } from "./entities.ts";
import { toRefund, toReturn } from "./mapping.ts";
import { exceptionReserved } from "./new-refund.ts";
import { findRefund } from "./repository.ts";

/** A provider's answer about money that goes back. */
export type Answer = Pick<ProviderReturn, "status" | "reason">;

export function isFinal({ status }: Pick<RefundRow, "status">): boolean {
  return status === "succeeded" || status === "failed";
}

/** Records providers' answers about refunds and returns. Each final answer counts once, however often it comes. */
export class Answers {
  readonly #deps: RefundsDeps;

  constructor(deps: RefundsDeps) {
    this.#deps = deps;
  }

  /** Records an answer. Returns the refund after it. The request for the refund has the audit entry. */
  async record(call: Call, refundId: string, answer: Answer): Promise<RefundRow> {
    const { operations, environments, clock } = this.#deps;
    return await operations.writeOnce({ ...call, audit: NO_ENTRY }, async () => {
      const refund = await findRefund(environments[call.mode], call.tenantId, refundId);
      if (!refund) throw new Error(`${refundId} does not exist`);
      if (isFinal(refund) || refund.status === answer.status) return { response: refund, changes: [] };
      const now = wholeSecond(clock);
      const { status, reason } = answer;
      const failureReason = status === "failed" ? reason : null;
      const next = { ...refund, status, failureReason, updatedAt: now };
      const { refund: after, changes } = await this.#consequences(call, next, now);
      return {
        response: after,
        changes: [counted(refund, after), ...changes],
        audit: { objectId: refundId },
      };
    });
  }

  /** Returns the refund with what follows from its new status. */
  async #consequences(
    call: Call,
    refund: RefundRow,
    now: Date,
  ): Promise<{ refund: RefundRow; changes: readonly Change[] }> {
    if (!isFinal(refund)) return { refund, changes: [] };
    const { tenantId, paymentId, amountMinor, exceptionId, feeRule, origin } = refund;
    const environment = this.#deps.environments[call.mode];
    if (exceptionId != null) {
      const exception = await environment.orm.em
        .fork()
        .findOneOrFail(PaymentException, { tenantId, id: exceptionId });
      const changes = refund.status === "failed" ? [exceptionReserved(exception, -amountMinor)] : [];
      return { refund, changes };
    }
    const payment = await findPayment(environment, tenantId, paymentId);
    if (!payment) throw new Error(`${paymentId} does not exist`);
    const price = await findPrice(environment, tenantId, payment.priceId);
    if (refund.status === "failed") {
      const event = origin === "merchant" ? await this.#event(call, refund, payment, price) : [];
      return { refund, changes: [reserved(payment, -amountMinor), ...event] };
    }
    const kind = origin === "merchant" ? ("refund" as const) : ("return" as const);
    const left = refunded(payment, price, { kind, sourceId: refund.id, amountMinor, feeRule }, now);
    const event = await this.#event(call, refund, left.payment, price);
    return {
      refund: { ...refund, beforeMinor: payment.refundedMinor },
      changes: [...left.changes, ...event],
    };
  }

  async #event(call: Call, refund: RefundRow, payment: PaymentRow, price: PriceValues): Promise<Change[]> {
    const shown = paymentMessage(payment, price);
    const common = { objectId: payment.id, reference: payment.reference ?? undefined };
    const content: EventContent =
      refund.origin === "provider"
        ? { ...common, type: "payment.returned", data: { payment: shown, return: toReturn(refund) } }
        : {
            ...common,
            type: refund.status === "succeeded" ? "refund.succeeded" : "refund.failed",
            data: { payment: shown, refund: toRefund(refund) },
          };
    return await this.#deps.recordEvent(call, content);
  }
}

/** Changes a refund, unless another process has changed it since it was read. */
function counted(
  { tenantId, id, changeCount }: RefundRow,
  { status, failureReason, updatedAt, beforeMinor }: RefundRow,
): Change {
  const set = { status, failureReason, updatedAt, beforeMinor, changeCount: changeCount + 1 };
  return update(Refund, { tenantId, id, changeCount }, set);
}
