import { PaymentException } from "../checkout/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { bookLeftMoney, moveReturns, reserveOfPayment } from "../ledger/refunding.ts";
import { findPayment } from "../ledger/repository.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call } from "../platform/rpc/call.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Decision } from "../platform/write/decision.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { findPrice } from "../pricing/repository.ts";
import type { EventContent } from "../webhooks/event.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund, type RefundRow } from "./entities.ts";
import { toRefund, toReturn } from "./mapping.ts";
import { reserveOfException } from "./new-refund.ts";
import {
  afterAnswer,
  isChargeback,
  isFinal,
  isOfAmount,
  withinAsked,
  withinLeft,
  type Answer,
} from "./refund-state.ts";
import { findRefund, goneMinor, listGone, restMinorOf } from "./repository.ts";
import { booked, reversalOf, type Reversal } from "./reversal.ts";

/** The refund after an answer, and what is wrong with the answer. "late": it contradicts an earlier refusal. "beyond": a part was booked. */
interface Recorded {
  readonly refund: RefundRow;
  readonly wrong: "amount" | "excess" | "late" | "beyond" | null;
}

interface Following {
  readonly refund: RefundRow;
  readonly changes: readonly Change[];
}

/** Records providers' answers about refunds and returns. Each final answer counts once, however often it comes. */
export class Answers {
  readonly #deps: RefundsDeps;

  constructor(deps: RefundsDeps) {
    this.#deps = deps;
  }

  /** Reports returns or refunds by which more went back than was received. They are not booked. */
  reportExcess(call: Call, paymentId: string, count: number): void {
    this.#report(
      call,
      { payment_id: paymentId, count },
      "a provider tells returns of more than was received",
    );
  }

  /**
   * Records an answer. Its refund stays as it is if the answer has another amount, or of more than was received, but
   * of a chargeback what is left of its payment is booked. The request for the refund has the audit
   * entry, or `audit`, which ends it.
   */
  async record(call: Call, refundId: string, answer: Answer, audit: Call["audit"] = NO_ENTRY): Promise<void> {
    const { refund, wrong } = await this.#deps.operations.writeOnce(
      { ...call, audit },
      async () => await this.#decide(call, refundId, answer),
    );
    const { id, paymentId } = refund;
    if (wrong === "excess") this.reportExcess(call, paymentId, 1);
    const about = { payment_id: paymentId, refund_id: id };
    if (wrong === "amount") {
      this.#report(call, about, "a provider tells another amount of a refund or return");
    }
    if (wrong === "beyond") this.#report(call, about, "a chargeback took more than was left of its payment");
    if (wrong === "late") this.#report(call, about, "a refund that had failed was made by its provider");
  }

  #report({ mode }: Call, about: object, text: string): void {
    const { log, onWrongAnswer } = this.#deps;
    log.error({ mode, ...about }, text);
    if (mode === "live") onWrongAnswer();
  }

  async #decide(call: Call, refundId: string, reported: Answer): Promise<Decision<Recorded>> {
    const { environments, clock } = this.#deps;
    const refund = await findRefund(environments[call.mode], call.tenantId, refundId);
    if (!refund) throw new Error(`${refundId} does not exist`);
    const answer = "amountMinor" in reported ? withinAsked(refund, reported) : reported;
    const restMinor = isChargeback(refund) ? await restMinorOf(environments[call.mode], refund) : 0n;
    if ("amountMinor" in answer && !isOfAmount(refund, answer, restMinor)) {
      return { response: { refund, wrong: "amount" }, changes: [] };
    }
    const now = wholeSecond(clock);
    const next = afterAnswer(refund, answer, now);
    if (!next) return { response: { refund, wrong: null }, changes: [] };
    const following = await this.#bookConsequences(call, refund, next, now);
    if (!following) return { response: { refund, wrong: "excess" }, changes: [] };
    const { refund: after, changes } = following;
    return {
      response: { refund: after, wrong: wrongOf(refund, after) },
      changes: [updateRefund(refund, after), ...changes],
      audit: { objectId: refundId },
    };
  }

  /** Returns the refund with what follows from its new status, or null if more would go back than was received. */
  async #bookConsequences(
    call: Call,
    before: RefundRow,
    refund: RefundRow,
    now: Date,
  ): Promise<Following | null> {
    if (!isFinal(refund)) return { refund, changes: [] };
    if (refund.reversedAt != null) return await this.#bookReversal(call, refund, now);
    const { tenantId, paymentId, exceptionId, feeRule, origin } = refund;
    if (exceptionId != null) return await this.#bookOfException(call, before, refund, exceptionId);
    const reservedMinor = reservedOf(before);
    const environment = this.#deps.environments[call.mode];
    const payment = await findPayment(environment, tenantId, paymentId);
    if (!payment) throw new Error(`${paymentId} does not exist`);
    const price = await findPrice(environment, tenantId, payment.priceId);
    if (refund.status === "failed") {
      const event = origin === "merchant" ? this.#recordEvent(call, refund, payment, price) : [];
      return { refund, changes: [reserveOfPayment(payment, -reservedMinor), ...event] };
    }
    const within = withinLeft(refund, price.payerTotalMinor - payment.refundedMinor);
    if (!within) return null;
    const kind = origin === "merchant" ? ("refund" as const) : ("return" as const);
    const { id: sourceId, amountMinor } = within;
    const left = bookLeftMoney(payment, price, { kind, sourceId, amountMinor, feeRule, reservedMinor }, now);
    const event = this.#recordEvent(call, within, left.payment, price);
    return {
      refund: { ...within, beforeMinor: payment.refundedMinor },
      changes: [...left.changes, ...event],
    };
  }

  /**
   * Returns what follows from money of a return that came back: it is the payment's, or the exception's, again, unless
   * other chargebacks took more than could be booked.
   */
  async #bookReversal(call: Call, refund: RefundRow, now: Date): Promise<Following> {
    const { tenantId, paymentId, exceptionId } = refund;
    const environment = this.#deps.environments[call.mode];
    const gone = await listGone(environment, refund);
    if (exceptionId != null) {
      const where = { tenantId, id: exceptionId };
      const exception = await environment.orm.em.fork().findOneOrFail(PaymentException, where);
      const leftMinor =
        exception.amountMinor - (await goneMinor(environment, tenantId, paymentId, exceptionId));
      const moves = reversalOf(refund, gone, leftMinor, now);
      const byMinor = sumOf(moves.rests) - sumOf(moves.back);
      return { refund, changes: [reserveOfException(exception, byMinor), ...writeOtherRows(moves)] };
    }
    const payment = await findPayment(environment, tenantId, paymentId);
    if (!payment) throw new Error(`${paymentId} does not exist`);
    const price = await findPrice(environment, tenantId, payment.priceId);
    const moves = reversalOf(refund, gone, price.payerTotalMinor - payment.refundedMinor, now);
    const steps = [
      ...moves.back.map((row) => ({ ...row, sourceId: row.id, kind: "return_reversal" as const })),
      ...moves.rests.map((row) => ({ ...row, sourceId: row.id, kind: "return" as const })),
    ];
    const moved = moveReturns(payment, price, steps, now);
    const after = booked(moves, moved.beforesMinor);
    const events = [...after.back, ...after.rests].flatMap((row) =>
      this.#recordEvent(call, row, moved.payment, price),
    );
    return {
      refund: after.back.at(-1) ?? refund,
      changes: [...moved.changes, ...writeOtherRows(after), ...events],
    };
  }

  async #bookOfException(
    { mode }: Call,
    before: RefundRow,
    refund: RefundRow,
    id: string,
  ): Promise<Following | null> {
    const { tenantId, paymentId, status } = refund;
    const environment = this.#deps.environments[mode];
    const reservedMinor = reservedOf(before);
    const exception = await environment.orm.em.fork().findOneOrFail(PaymentException, { tenantId, id });
    if (status === "failed") return { refund, changes: [reserveOfException(exception, -reservedMinor)] };
    if (refund.amountMinor === reservedMinor) return { refund, changes: [] };
    const goneByAll = await goneMinor(environment, tenantId, paymentId, id);
    const goneBefore = before.origin === "provider" ? goneByAll - reservedMinor : goneByAll;
    const within = withinLeft(refund, exception.amountMinor - goneBefore);
    if (!within) return null;
    return { refund: within, changes: [reserveOfException(exception, within.amountMinor - reservedMinor)] };
  }

  #recordEvent(call: Call, refund: RefundRow, payment: PaymentRow, price: PriceValues): Change[] {
    const shown = paymentMessage(payment, price);
    const common = { objectId: payment.id, reference: payment.reference ?? undefined };
    const content: EventContent =
      refund.origin === "provider"
        ? {
            ...common,
            type: refund.reversedAt == null ? "payment.returned" : "payment.return_reversed",
            data: { payment: shown, return: toReturn(refund) },
          }
        : {
            ...common,
            type: refund.status === "succeeded" ? "refund.succeeded" : "refund.failed",
            data: { payment: shown, refund: toRefund(refund) },
          };
    return this.#deps.recordEvents(call, content);
  }
}

/** Returns the changes of a reversal's other rows: the chargeback that came back is the last of `back`. */
function writeOtherRows({ back, rests, lessened }: Reversal): Change[] {
  const changed = [...back.slice(0, -1), ...lessened].map((row) => updateRefund(row, row));
  return [...changed, ...rests.map((row) => insert(Refund, row))];
}

function sumOf(rows: readonly RefundRow[]): bigint {
  return rows.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Changes a refund, unless another process has changed it since it was read. */
function updateRefund({ tenantId, id, changeCount }: RefundRow, after: RefundRow): Change {
  const { status, failureReason, updatedAt, beforeMinor, checkAt, refusedAt, absenceCount } = after;
  const { amountMinor, unbookedMinor, reversedAt, reversedBeforeMinor } = after;
  const set = { status, failureReason, updatedAt, beforeMinor, checkAt, refusedAt, absenceCount };
  const amounts = {
    amountMinor,
    unbookedMinor,
    reversedAt,
    reversedBeforeMinor,
    changeCount: changeCount + 1,
  };
  return update(Refund, { tenantId, id, changeCount }, { ...set, ...amounts });
}

/** A failure has freed its amount. */
function reservedOf({ status, amountMinor }: RefundRow): bigint {
  return status === "failed" ? 0n : amountMinor;
}

function wrongOf(before: RefundRow, after: RefundRow): Recorded["wrong"] {
  if (before.status === "failed") return "late";
  if (after.reversedAt != null) return null;
  return after.status === "succeeded" && isChargeback(after) && after.unbookedMinor > 0n ? "beyond" : null;
}
