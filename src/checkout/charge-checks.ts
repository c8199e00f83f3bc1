import type { Call } from "../platform/rpc/call.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { notBefore, secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import type { CardProvider } from "../providers/card-port.ts";
import { ownDecline } from "../providers/decline-code.ts";
import { checkedCode } from "../providers/pix-code.ts";
import type { Providers } from "../providers/directory.ts";
import type { Asking, CallbackCharges, PixProvider } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { recordCard } from "./card-news.ts";
import { cardRequest, givenPayer, type CardRequestDeps } from "./card-request.ts";
import { endingReason, isEndDue, isOver, isWatchOver, REFUSED, REMOVED } from "./charge-end.ts";
import { nameOf, stateOf, type State } from "./charge-state.ts";
import type { ChargesDeps } from "./deps.ts";
import type { Charges } from "./charges.ts";
import type { ChargeRow } from "./entities.ts";
import { FAULT_SECONDS, postponeCheck, preparationMs } from "./due-charges.ts";
import { payeeName } from "./payee.ts";
import { receiveNew } from "./reported-money.ts";
import { chargeRequest } from "./start-payment.ts";

export interface ChargeChecksDeps extends ChargesDeps, CardRequestDeps {
  readonly charges: Charges;
}

// The worker's questions about an account's other charges wait no longer for one that is not answered.
const CHECK_MS = 15_000;
const NONE_OF_CALLBACKS: CallbackCharges = { ids: [], fault: null };

/** Asks providers about charges, outside of any transaction. `Charges` records their answers. */
export class ChargeChecks {
  readonly #deps: ChargeChecksDeps;

  constructor(deps: ChargeChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Asks the provider for what the payer needs: a PIX code, which is checked, or the address of the provider's page for a
   * card. Throws ProviderFault if there is none, or a wrong one: the payment then waits for the next call.
   */
  async prepare(call: Call, state: State): Promise<void> {
    const { charge } = state;
    if (!isAwaited(state)) return;
    const { pix, card } = await this.#providersOf(call, charge);
    const isCard = state.payment.method === "card";
    try {
      if (!isCard && pix) await this.#preparePix(call, state, pix);
      else if (isCard && card) await this.#prepareCard(call, state, card);
      else throw new ProviderFault("misconfigured", "the account of a charge does not exist");
    } catch (error) {
      const reason = endingReason(error);
      if (reason === null) {
        await this.#putOff(call, charge, error);
        throw error;
      }
      await this.#deps.charges.decline(call, charge.paymentId, ownDecline(reason), true);
    }
  }

  /**
   * Asks the provider about a charge, in any state of its payment, and records the answer. Returns what became of the ids
   * that callbacks named.
   */
  async refresh(call: Call, charge: ChargeRow, given: Asking = {}): Promise<CallbackCharges> {
    const { paymentId, callbackChargeIds } = charge;
    const callbackIds = [...new Set([...callbackChargeIds, ...(given.callbackIds ?? [])])];
    const asking = { ...given, callbackIds };
    const { payment } = await stateOf(this.#deps, call, paymentId);
    if (payment.method === "ted") return NONE_OF_CALLBACKS;
    const { pix, card } = await this.#providersOf(call, charge);
    if (payment.method === "pix" && pix) return await this.#askPix(call, charge, pix, asking);
    if (payment.method === "card" && card) {
      const name = { ...nameOf(charge), hasReturns: await this.#deps.hasReturns(call, paymentId) };
      const found = await card.find(name, asking);
      await recordCard(this.#deps, call, charge, found);
      const { payment: after } = await stateOf(this.#deps, call, paymentId);
      // The payer has seen that it is over: the provider's page must not take it all the same.
      if (found.progress.status === "challenge" && isOver(after)) await this.withdraw(call, charge);
      return found.ofCallbacks ?? NONE_OF_CALLBACKS;
    }
    return NONE_OF_CALLBACKS;
  }

  /**
   * Withdraws a card's charge at its provider, and records what the provider has of it then: the payer may have been
   * faster. Returns false if it can still be paid there. Throws ProviderFault if that is not known.
   */
  async withdraw(call: Call, charge: ChargeRow): Promise<boolean> {
    const { card } = await this.#providersOf(call, charge);
    if (!card) return false;
    const found = await card.cancel(nameOf(charge));
    await recordCard(this.#deps, call, charge, found);
    return found.progress.status === "absent" || found.progress.status === "canceled";
  }

  /**
   * Gives up a card payment whose payer wants to pay in another way, once its provider's page is withdrawn. One that was
   * paid, or is about to be, stays.
   */
  async giveUp(call: Call, charge: ChargeRow): Promise<void> {
    if (await this.withdraw(call, charge)) {
      await this.#deps.charges.decline(call, charge.paymentId, ownDecline("given_up"), true);
    }
  }

  /**
   * Checks a charge that is due: asks the provider, and ends the payment if its time is over. A charge that the service
   * itself ended stays open, because money may still come. `isAsked`: false if the provider does not answer at present.
   */
  async check(call: Call, charge: ChargeRow, isAsked: boolean): Promise<void> {
    const { charges } = this.#deps;
    const { paymentId } = charge;
    let fault = isAsked ? await this.#asked(call, charge) : undefined;
    const state = await stateOf(this.#deps, call, paymentId);
    const isPix = state.payment.method === "pix";
    // PIX that was paid in time is accepted after the end, too. A card without an answer may have been charged.
    if (isEndDue(state) && (isPix || (isAsked && fault === undefined))) {
      if (state.payment.method === "card") fault = await this.#withdrawn(call, state.charge);
      // The provider may have begun to review it.
      const isStill = fault === undefined && isEndDue(await stateOf(this.#deps, call, paymentId));
      if (isPix || isStill) await charges.expire(call, paymentId);
      if (isPix && isAsked) await this.#withdrawPix(call, await stateOf(this.#deps, call, paymentId));
    }
    const isTried = isAsked && (fault === undefined || isMisconfigured(fault));
    if (isWatchOver(state) && (isTried || !(isPix && (await this.#outlivesSession(call, state.charge))))) {
      await charges.close(call, paymentId);
    }
    if (fault !== undefined) throw fault;
  }

  /**
   * Asks the provider for the code or the news of a charge. Returns its fault, or undefined. One on a card provider's page
   * that ends now is not asked about: it is withdrawn, and then looked at.
   */
  async #asked(call: Call, charge: ChargeRow): Promise<unknown> {
    const fault = await this.#faultOf(async () => {
      const state = await stateOf(this.#deps, call, charge.paymentId);
      if (isAwaited(state)) await this.prepare(call, state);
      else if (charge.cardStyle !== "redirect" || !isEndDue(state)) {
        await this.refresh(call, charge, { isPeriodic: true, signal: AbortSignal.timeout(CHECK_MS) });
      }
    });
    if (fault !== undefined) await this.#putOff(call, charge, fault);
    return fault;
  }

  /** Such a PIX charge is watched until its provider has answered about it. */
  async #outlivesSession(call: Call, charge: ChargeRow): Promise<boolean> {
    return (await this.#providersOf(call, charge)).pix?.outlivesSession === true;
  }

  /** Withdraws a card's charge. Returns the fault if it is not known whether that was done, or undefined. */
  async #withdrawn(call: Call, charge: ChargeRow): Promise<unknown> {
    const fault = await this.#faultOf(async () => void (await this.withdraw(call, charge)));
    if (fault !== undefined) await this.#putOff(call, charge, fault);
    return fault;
  }

  async #faultOf(ask: () => Promise<void>): Promise<unknown> {
    try {
      await ask();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Sets the time of the next check, if the provider named one or the first request for a code or page has failed. */
  async #putOff(call: Call, charge: ChargeRow, error: unknown): Promise<void> {
    const { environments, clock } = this.#deps;
    const named = error instanceof ProviderFault ? error.retryAfterSeconds : null;
    if (named === null && charge.preparationCount !== 0) return;
    const now = wholeSecond(clock);
    const soon = secondsAfter(now, FAULT_SECONDS);
    const first = charge.checkAt < soon ? charge.checkAt : soon;
    await postponeCheck(
      environments[call.mode],
      charge,
      now,
      named === null ? first : notBefore(clock, named),
    );
  }

  async #preparePix(call: Call, state: State, pix: PixProvider): Promise<void> {
    const { charge, price, link } = state;
    const { charges, identity, encryption } = this.#deps;
    const { payerFields = [], optionalPayerFields = [] } = pix;
    const payer = await givenPayer(encryption, charge, [...payerFields, ...optionalPayerFields]);
    const signal = AbortSignal.timeout(preparationMs(charge));
    const request = { ...chargeRequest(charge, price, link, await payeeName(identity, link)), payer, signal };
    const made = await pix.createCharge(request).catch(async (error: unknown) => {
      if (endingReason(error) !== REFUSED) throw error;
      this.#deps.log.error({ err: error, payment_id: charge.paymentId }, "a provider refused a charge");
      // Some refuse texts or payers that others take. A second refusal is definite.
      const least = await givenPayer(encryption, charge, payerFields);
      return await pix.createCharge({ ...request, payer: least, description: null, isRepeated: true });
    });
    const prepared = { pixCode: checkedCode(made, request), providerChargeId: made.chargeId ?? null };
    // The start's own entry says this change already.
    await charges.prepared({ ...call, audit: NO_ENTRY }, state, prepared);
  }

  async #prepareCard(call: Call, state: State, card: CardProvider): Promise<void> {
    const { charges, identity } = this.#deps;
    const { charge, link } = state;
    const merchantName = await payeeName(identity, link);
    const request = await cardRequest(this.#deps, card.terms, { ...state, merchantName, token: null });
    const made = await card.authorize(request);
    const { progress } = made;
    if (progress.status === "absent") throw new ProviderFault("unknown", "a card's charge is not there yet");
    const challengeUrl = progress.status === "challenge" ? progress.url : null;
    const { chargeId: providerChargeId } = made;
    const prepared = { challengeUrl, providerChargeId };
    const isFirst = await charges.prepared({ ...call, audit: NO_ENTRY }, state, prepared);
    if (isFirst || challengeUrl === null) await recordCard(this.#deps, call, charge, made);
    else await this.#discard(call, charge.paymentId, card, providerChargeId);
  }

  /** Withdraws a page that was made while another request made the payer's. */
  async #discard(call: Call, paymentId: string, card: CardProvider, made: string | null): Promise<void> {
    const { charge } = await stateOf(this.#deps, call, paymentId);
    if (made !== null && made !== charge.providerChargeId) await card.discard?.(made);
  }

  async #askPix(call: Call, charge: ChargeRow, pix: PixProvider, asking: Asking): Promise<CallbackCharges> {
    const { charges, recordReturns } = this.#deps;
    const { paymentId, reference, providerChargeId } = charge;
    const found = await pix.find(reference, asking, providerChargeId);
    const { status, reason = "", receipts, returns, ofCallbacks = NONE_OF_CALLBACKS } = found;
    await receiveNew(this.#deps, call, charge, receipts);
    await recordReturns(call, paymentId, returns);
    if (status === "rejected") {
      await charges.decline(call, paymentId, { source: "pix", brand: null, code: reason });
    }
    if (status === "removed") await charges.decline(call, paymentId, ownDecline(REMOVED), true);
    if (pix.outlivesSession !== true || status !== "waiting" || receipts.length > 0) return ofCallbacks;
    const { payment } = await stateOf(this.#deps, call, paymentId);
    // The removal at its end may have failed, or its code was made after that.
    if (isOver(payment)) await pix.cancel(reference, providerChargeId);
    return ofCallbacks;
  }

  /** Withdraws a charge whose payment we ended. If that fails, the charge is watched for late money all the same. */
  async #withdrawPix(call: Call, { charge, payment }: State): Promise<void> {
    if (charge.pixCode == null || payment.status === "succeeded") return;
    const { paymentId, reference, providerChargeId } = charge;
    const { pix } = await this.#providersOf(call, charge);
    await pix?.cancel(reference, providerChargeId).catch(async (error: unknown) => {
      // What is paid cannot be withdrawn: the payer may have been faster.
      const found = await pix.find(reference, {}, providerChargeId).catch(() => undefined);
      await receiveNew(this.#deps, call, charge, found?.receipts ?? []);
      if (found && found.receipts.length > 0) return;
      this.#deps.log.error({ err: error, payment_id: paymentId }, "a charge could not be withdrawn");
    });
  }

  async #providersOf(call: Call, { accountId }: ChargeRow): Promise<Providers> {
    return await this.#deps.providers[call.mode].ofAccount(call, accountId ?? null);
  }
}

/** Returns true if a payment waits for its code or its provider's page. */
function isAwaited({ charge, payment }: State): boolean {
  return charge.preparationCount != null && !isOver(payment);
}

function isMisconfigured(error: unknown): boolean {
  return error instanceof ProviderFault && error.kind === "misconfigured";
}
