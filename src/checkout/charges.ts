import type { PaymentRow } from "../ledger/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { completeLink, lockLink } from "../links/link-status.ts";
import { insert, type Change } from "../platform/write/change.ts";
import type { Decision } from "../platform/write/decision.ts";
import type { Call } from "../platform/rpc/call.ts";
import { dueAfter } from "../platform/time/clock.ts";
import type { Decline } from "../providers/decline.ts";
import { ownDecline } from "../providers/decline-code.ts";
import { meaningOf } from "../providers/registry.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { withBankName } from "./bank-name.ts";
import { markChargeReceived, markSessionPaid, updateCharge } from "./charge-changes.ts";
import { EXPIRED, failedBy, isOver } from "./charge-end.ts";
import { PaymentException, type ChargeRow, type ExceptionReason } from "./entities.ts";
import { isPaid, stateOf, type State } from "./charge-state.ts";
import type { ChargesDeps } from "./deps.ts";
import { endToEndIdOf, exceptionReason, inItsTime, newException } from "./receipt.ts";
import { findException } from "./exceptions.ts";
import { insertRefusedCards } from "./refused-card.ts";
import { FIRST_CHECK_SECONDS } from "./start-payment.ts";
import { insertTakenReceipt, isTakenElsewhere, takenElsewhere } from "./taken-receipt.ts";

/** The outcome of a report of money. */
export interface Received {
  readonly payment: PaymentRow;
  readonly exceptionId: string | null;
}

/** The end of a payment, with what its charge keeps of it. */
type End = Pick<PaymentRow, "status" | "failureCode"> &
  Pick<ChargeRow, "declineReason" | "declineBrand" | "isOpen"> & { readonly more?: readonly Change[] };

const UNNAMED = { objectId: "" };

/** Records the providers' reports on charges. Each report counts once, from any source and however often it comes. */
export class Charges {
  readonly #deps: ChargesDeps;

  constructor(deps: ChargesDeps) {
    this.#deps = deps;
  }

  /**
   * Accepts money as the payment's success, or records the reason against it. If another payment of the account has
   * the same money, a provider's report becomes an exception. A report by hand (`isByHand`) then throws, because the id is
   * probably wrong. Error: invalid_request on provider_payment_id.
   */
  async receive(
    call: Call,
    paymentId: string,
    reported: ProviderReceipt,
    isByHand = false,
  ): Promise<Received> {
    return await this.#deps.operations.writeOnce(call, async () => {
      const state = await stateOf(this.#deps, call, paymentId);
      const { charge, payment, price, link, now } = state;
      const receipt = inItsTime(reported, charge, now);
      const { providerPaymentId } = receipt;
      const known = { payment, exceptionId: null };
      if (charge.providerPaymentId === providerPaymentId) return { response: known, changes: [] };
      const environment = this.#deps.environments[call.mode];
      const earlier = await findException(environment, call.tenantId, paymentId, providerPaymentId);
      if (earlier) return { response: { payment, exceptionId: earlier.id }, changes: [] };
      if (await isTakenElsewhere(environment, payment, charge, providerPaymentId)) {
        if (isByHand) throw takenElsewhere();
        return await this.#decideException(call, state, receipt, "duplicate", true);
      }
      const reason = exceptionReason(
        receipt,
        payment,
        price,
        charge,
        link,
        await isPaid(this.#deps, call, state),
      );
      return reason === null
        ? await this.#decideSuccess(call, state, receipt)
        : await this.#decideException(call, state, receipt, reason);
    });
  }

  /**
   * Ends a payment that was declined. This is the provider's final answer, unless money may still come (`isOpen`). A card
   * that was refused for good is kept, so that it is not sent again.
   */
  async decline(call: Call, paymentId: string, decline: Decline, isOpen = false): Promise<void> {
    const { code: declineReason, brand: declineBrand } = decline;
    const { environments, encryption, log, onWrongAnswer } = this.#deps;
    await this.#end(call, paymentId, async (state) => {
      if (isOver(state.payment)) return null;
      if (meaningOf(decline).isOurFault) {
        const about = { mode: call.mode, payment_id: paymentId };
        log.error(about, "a provider refused the number of installments that its account offers");
        if (call.mode === "live") onWrongAnswer();
      }
      const more = await insertRefusedCards(environments[call.mode], encryption, state, decline);
      return { ...failedBy(decline), declineReason, declineBrand, isOpen, more };
    });
  }

  /**
   * Writes what a payer needs to pay: a checked code, or the address of the provider's page. The first one stays: returns
   * false if there was one. `state`: as it was read before the provider was asked.
   */
  async prepared(
    call: Call,
    state: State,
    made: Partial<Pick<ChargeRow, "pixCode" | "challengeUrl" | "providerChargeId">>,
  ): Promise<boolean> {
    const { paymentId } = state.charge;
    let read: State | undefined = state;
    return await this.#deps.operations.writeOnce(call, async () => {
      const { charge } = read ?? (await stateOf(this.#deps, call, paymentId));
      // What is decided again reads again.
      read = undefined;
      if (charge.preparationCount == null) return { response: false, changes: [] };
      const checkAt = dueAfter(this.#deps.clock, FIRST_CHECK_SECONDS);
      const changes = [updateCharge(charge, { ...made, preparationCount: null, checkAt })];
      return { response: true, changes, audit: { objectId: paymentId } };
    });
  }

  /** Ends a payment whose time is over: a card's issuer did not answer, or its holder did not return. */
  async expire(call: Call, paymentId: string): Promise<void> {
    await this.#end(call, paymentId, async ({ payment, charge }) => {
      if (isOver(payment)) return null;
      const reason = payment.status === "processing" ? reasonOfEnd(charge) : null;
      const outcome = reason === null ? EXPIRED : failedBy(ownDecline(reason));
      return { ...outcome, declineBrand: null, declineReason: reason, isOpen: true };
    });
  }

  /** Stops to watch a charge. */
  async close(call: Call, paymentId: string): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const { charge } = await stateOf(this.#deps, call, paymentId);
      const changes = charge.isOpen ? [updateCharge(charge, { isOpen: false })] : [];
      return { response: null, changes, audit: { objectId: paymentId } };
    });
  }

  /** Writes where the payer goes on, and the id of that charge. A review is over then. */
  async challenged(call: Call, paymentId: string, url: string, chargeId: string | null): Promise<void> {
    await this.#noted(call, paymentId, ({ charge: { challengeUrl, reviewedAt, providerChargeId } }) =>
      challengeUrl === url && reviewedAt == null
        ? null
        : { challengeUrl: url, reviewedAt: null, providerChargeId: chargeId ?? providerChargeId },
    );
  }

  /** Writes that the provider reviews the payment, since when, and by which id: its money may come after the end. */
  async reviewed(call: Call, paymentId: string, chargeId: string | null): Promise<void> {
    await this.#noted(call, paymentId, ({ charge, now }) => {
      const { reviewedAt, providerChargeId } = charge;
      return reviewedAt == null ? { reviewedAt: now, providerChargeId: providerChargeId ?? chargeId } : null;
    });
  }

  /** Writes what is new of a charge whose card payment is in progress. */
  async #noted(
    call: Call,
    paymentId: string,
    newsOf: (state: State) => Partial<ChargeRow> | null,
  ): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const state = await stateOf(this.#deps, call, paymentId);
      const news = state.payment.status === "processing" ? newsOf(state) : null;
      return { response: null, changes: news ? [updateCharge(state.charge, news)] : [], audit: UNNAMED };
    });
  }

  async #end(call: Call, paymentId: string, decide: (state: State) => Promise<End | null>): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const state = await stateOf(this.#deps, call, paymentId);
      const ended = await decide(state);
      if (ended === null) return { response: null, changes: [] };
      const { status, failureCode, more = [], ...ofCharge } = ended;
      return {
        response: null,
        changes: [
          ...(await this.#movePayment(call, state, { status, failureCode })),
          updateCharge(state.charge, { ...ofCharge, cardTokenHash: null }),
          ...more,
        ],
        audit: { objectId: paymentId },
      };
    });
  }

  async #decideSuccess(call: Call, state: State, receipt: ProviderReceipt): Promise<Decision<Received>> {
    const { charge, payment, link, now } = state;
    const endToEndId = endToEndIdOf(receipt, payment, charge);
    const outcome = { status: "succeeded", failureCode: null, endToEndId } as const;
    const payer = await withBankName(this.#deps.encryption, charge, receipt.payerName);
    return {
      response: { payment: { ...payment, ...outcome }, exceptionId: null },
      changes: [
        ...(await this.#movePayment(call, state, outcome)),
        ...(link.isCampaign ? [lockLink(link)] : completeLink(this.#deps, call.mode, link, now)),
        insertTakenReceipt(payment, charge, receipt.providerPaymentId, now),
        markSessionPaid(charge),
        markChargeReceived(charge, receipt, payer, now),
      ],
      audit: { objectId: payment.id },
    };
  }

  async #decideException(
    call: Call,
    state: State,
    receipt: ProviderReceipt,
    reason: ExceptionReason,
    isElsewhere = false,
  ): Promise<Decision<Received>> {
    const { charge, payment, price, now } = state;
    // The other payment has this money already, so there is nothing to refund.
    const refundMinor = isElsewhere ? 0n : receipt.amountMinor;
    const { exceptionRefundHours: refundHours } = (await this.#deps.identity.settingsOf(call.tenantId))
      .tenant;
    const exception = newException(payment, price, receipt, { reason, refundMinor, refundHours, now });
    // The payment stays open if it waits for the right amount, or if its money was booked on another payment.
    const isEnd =
      !isElsewhere && !isOver(payment) && (reason !== "wrong_amount" || payment.method === "card");
    const outcome = payment.method === "card" ? failedBy(ownDecline(reason)) : EXPIRED;
    const after = isEnd ? { ...payment, ...outcome } : payment;
    const event = this.#deps.recordEvents(call, {
      type: "payment.exception_recorded",
      objectId: payment.id,
      reference: payment.reference ?? undefined,
      data: { payment: paymentMessage(after, price) },
    });
    return {
      response: { payment: after, exceptionId: exception.id },
      changes: [
        insert(PaymentException, exception),
        ...(isElsewhere ? [] : [insertTakenReceipt(payment, charge, receipt.providerPaymentId, now)]),
        ...event,
        ...(isEnd ? await this.#movePayment(call, state, outcome) : []),
        updateCharge(charge, isEnd ? { cardTokenHash: null } : {}),
      ],
      audit: { objectId: exception.id },
    };
  }

  async #movePayment(
    call: Call,
    { payment, price, link, now }: State,
    outcome: Pick<PaymentRow, "status" | "failureCode"> & Partial<Pick<PaymentRow, "endToEndId">>,
  ): Promise<Change[]> {
    const to = { ...payment, ...outcome, updatedAt: now };
    return (await this.#deps.ledger.movePayment(call, payment, to, price, link.paymentIntentId ?? null))
      .changes;
  }
}

function reasonOfEnd({ challengeUrl, cardStyle, reviewedAt }: ChargeRow): string {
  if (reviewedAt != null || (challengeUrl == null && cardStyle !== "redirect")) return "no_answer";
  return cardStyle === "redirect" ? "abandoned" : "3ds_timeout";
}
