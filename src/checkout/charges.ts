import type { PaymentRow } from "../ledger/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { completed, unchanged } from "../links/link-status.ts";
import { insert, type Change } from "../platform/change.ts";
import type { Decision } from "../platform/decision.ts";
import type { Call } from "../platform/call.ts";
import { secondsAfter } from "../platform/clock.ts";
import type { CardState, ProviderReceipt } from "../providers/ports.ts";
import { counted, paid } from "./charge-changes.ts";
import { EXPIRED, failedBy, isOver } from "./charge-end.ts";
import { PaymentException, type ChargeRow, type ExceptionReason } from "./entities.ts";
import { isPaid, stateOf, type State } from "./charge-state.ts";
import type { ChargesDeps } from "./deps.ts";
import { exceptionReason, newException } from "./receipt.ts";
import { findException } from "./exceptions.ts";
import { FIRST_CHECK_SECONDS } from "./start-payment.ts";
import { isTakenElsewhere, taken, takenElsewhere } from "./taken-receipt.ts";

/** The outcome of a report of money. */
export interface Received {
  readonly payment: PaymentRow;
  readonly exceptionId: string | null;
}

// A charge has no id of its own.
const UNNAMED = { objectId: "" };

/** Records the providers' reports on charges. Each report counts once, from any source and however often it comes. */
export class Charges {
  readonly #deps: ChargesDeps;

  constructor(deps: ChargesDeps) {
    this.#deps = deps;
  }

  async applyCard(call: Call, paymentId: string, state: CardState): Promise<void> {
    if (state.status === "approved") await this.receive(call, paymentId, state.receipt);
    if (state.status === "declined") await this.decline(call, paymentId, state.reason);
    if (state.status === "challenge") await this.#challenge(call, paymentId, state.url);
  }

  /**
   * Accepts money as the payment's success, or records the reason against it. If another payment has the same provider
   * payment id, a provider's report becomes an exception. A report by hand (`isByHand`) then throws, because the id is
   * probably wrong. Error: invalid_request on provider_payment_id.
   */
  async receive(
    call: Call,
    paymentId: string,
    receipt: ProviderReceipt,
    isByHand = false,
  ): Promise<Received> {
    return await this.#deps.operations.writeOnce(call, async () => {
      const state = await stateOf(this.#deps, call, paymentId);
      const { charge, payment, price, link } = state;
      const { providerPaymentId } = receipt;
      const known = { payment, exceptionId: null };
      if (charge.providerPaymentId === providerPaymentId) return { response: known, changes: [] };
      const environment = this.#deps.environments[call.mode];
      const earlier = await findException(environment, call.tenantId, paymentId, providerPaymentId);
      if (earlier) return { response: { payment, exceptionId: earlier.id }, changes: [] };
      if (await isTakenElsewhere(environment, payment, providerPaymentId)) {
        if (isByHand) throw takenElsewhere();
        return await this.#excepted(call, state, receipt, "duplicate", true);
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
        ? await this.#succeeded(call, state, receipt)
        : await this.#excepted(call, state, receipt, reason);
    });
  }

  /**
   * Ends a payment that the provider declined. This is the provider's final answer, unless money may still come
   * (`isOpen`).
   */
  async decline(call: Call, paymentId: string, reason: string, isOpen = false): Promise<void> {
    await this.#end(call, paymentId, ({ payment }) =>
      isOver(payment) ? null : { ...failedBy(reason), declineReason: reason, isOpen },
    );
  }

  /** Writes the checked code that a payer may see. The first one stays. */
  async prepared(call: Call, paymentId: string, pixCode: string): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const { charge, now } = await stateOf(this.#deps, call, paymentId);
      if (charge.preparationCount == null) return { response: null, changes: [] };
      const checkAt = secondsAfter(now, FIRST_CHECK_SECONDS);
      const changes = [counted(charge, { pixCode, preparationCount: null, checkAt })];
      return { response: null, changes, audit: { objectId: paymentId } };
    });
  }

  /** Ends a payment whose time is over: a card's issuer did not answer, or its holder did not return. */
  async expire(call: Call, paymentId: string): Promise<void> {
    await this.#end(call, paymentId, ({ payment, charge }) => {
      if (isOver(payment)) return null;
      const reason = charge.challengeUrl == null ? "no_answer" : "3ds_timeout";
      return payment.status === "processing"
        ? { ...failedBy(reason), declineReason: reason, isOpen: true }
        : { ...EXPIRED, declineReason: null, isOpen: true };
    });
  }

  /** Stops to watch a charge. */
  async close(call: Call, paymentId: string): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const { charge } = await stateOf(this.#deps, call, paymentId);
      const changes = charge.isOpen ? [counted(charge, { isOpen: false })] : [];
      return { response: null, changes, audit: { objectId: paymentId } };
    });
  }

  async #end(
    call: Call,
    paymentId: string,
    decide: (
      state: State,
    ) => (Pick<PaymentRow, "status" | "failureCode"> & Pick<ChargeRow, "declineReason" | "isOpen">) | null,
  ): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const state = await stateOf(this.#deps, call, paymentId);
      const ended = decide(state);
      if (ended === null) return { response: null, changes: [] };
      const { declineReason, isOpen, ...outcome } = ended;
      return {
        response: null,
        changes: [
          ...(await this.#moved(call, state, outcome)),
          counted(state.charge, { declineReason, isOpen }),
        ],
        audit: { objectId: paymentId },
      };
    });
  }

  async #succeeded(
    call: Call,
    state: State,
    { providerPaymentId, paidAt }: ProviderReceipt,
  ): Promise<Decision<Received>> {
    const { charge, payment, link, now } = state;
    const outcome = { status: "succeeded", failureCode: null } as const;
    return {
      response: { payment: { ...payment, ...outcome }, exceptionId: null },
      changes: [
        ...(await this.#moved(call, state, outcome)),
        link.isCampaign || link.status !== "active" ? unchanged(link) : completed(link, now),
        taken(payment, providerPaymentId, now),
        paid(charge),
        counted(charge, { providerPaymentId, paidAt, isOpen: false }),
      ],
      audit: { objectId: payment.id },
    };
  }

  async #excepted(
    call: Call,
    state: State,
    receipt: ProviderReceipt,
    reason: ExceptionReason,
    isElsewhere = false,
  ): Promise<Decision<Received>> {
    const { charge, payment, price, now } = state;
    // The other payment has this money already, so there is nothing to refund.
    const refundMinor = isElsewhere ? 0n : receipt.amountMinor;
    const exception = newException(payment, price, receipt, { reason, refundMinor, now });
    // The payment stays open if it waits for the right amount, or if its money was booked on another payment.
    const isEnd =
      !isElsewhere && !isOver(payment) && (reason !== "wrong_amount" || payment.method === "card");
    const outcome = payment.method === "card" ? failedBy(reason) : EXPIRED;
    const after = isEnd ? { ...payment, ...outcome } : payment;
    const event = await this.#deps.recordEvent(call, {
      type: "payment.exception_recorded",
      objectId: payment.id,
      reference: payment.reference ?? undefined,
      data: { payment: paymentMessage(after, price) },
    });
    return {
      response: { payment: after, exceptionId: exception.id },
      changes: [
        insert(PaymentException, exception),
        ...(isElsewhere ? [] : [taken(payment, receipt.providerPaymentId, now)]),
        ...event,
        ...(isEnd ? await this.#moved(call, state, outcome) : []),
        counted(charge, {}),
      ],
      audit: { objectId: exception.id },
    };
  }

  async #challenge(call: Call, paymentId: string, challengeUrl: string): Promise<void> {
    await this.#deps.operations.writeOnce(call, async () => {
      const { charge, payment } = await stateOf(this.#deps, call, paymentId);
      const isNews = payment.status === "processing" && charge.challengeUrl !== challengeUrl;
      return { response: null, changes: isNews ? [counted(charge, { challengeUrl })] : [], audit: UNNAMED };
    });
  }

  async #moved(
    call: Call,
    { payment, price, link, now }: State,
    outcome: Pick<PaymentRow, "status" | "failureCode">,
  ): Promise<Change[]> {
    const to = { ...payment, ...outcome, updatedAt: now };
    return (await this.#deps.ledger.moved(call, payment, to, price, link.paymentIntentId ?? null)).changes;
  }
}
