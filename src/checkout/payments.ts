import { setTimeout as passes } from "node:timers/promises";
import { SandboxAction, type StartPaymentRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { notBefore, wholeSecond } from "../platform/time/clock.ts";
import { noSuch, PaylinkError } from "../platform/rpc/errors.ts";
import type { Decision } from "../platform/write/decision.ts";
import type { Call } from "../platform/rpc/call.ts";
import { holdsCardNumber } from "../../contract/card-number.ts";
import { payerFieldsOf } from "../providers/directory.ts";
import type { KnownCard } from "../providers/decline.ts";
import { ownDecline } from "../providers/decline-code.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { fromMethodEnum } from "../pricing/mapping.ts";
import type { ChargesDeps } from "./deps.ts";
import { postponeCheck } from "./due-charges.ts";
import type { ChargeRow } from "./entities.ts";
import { givenDetails } from "./given-details.ts";
import type { ChargeChecks } from "./charge-checks.ts";
import type { Charges } from "./charges.ts";
import { payeeName } from "./payee.ts";
import { recordCard } from "./card-news.ts";
import { cardRequest } from "./card-request.ts";
import { BUSY, REFUSED } from "./charge-end.ts";
import { lockGivenDetails } from "./charge-changes.ts";
import { stateOf, type State } from "./charge-state.ts";
import { SESSION_PAYMENTS_MAX } from "./session.ts";
import { cardOf } from "./refused-card.ts";
import { decideAgain } from "./repeated-start.ts";
import { requireActive, type Sessions } from "./sessions.ts";
import { decideStart, underWay, type Earlier } from "./start-payment.ts";

export interface PaymentsDeps extends ChargesDeps {
  readonly sessions: Sessions;
  readonly charges: Charges;
  readonly checks: ChargeChecks;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
}

// A payer's request waits this long for the provider. After that, the page says that the code is being prepared.
const PREPARATION_WAIT_MS = 3000;

/** The payment that the request leads to, and the data for the request to the provider that is still due. */
interface Started extends Earlier {
  readonly due?: Omit<State, "now">;
  /** True: nothing was written, as it must be given up first. */
  readonly isInTheWay?: true;
}

/** Starts payments, and simulates their outcomes in test mode. */
export class Payments {
  readonly #deps: PaymentsDeps;

  constructor(deps: PaymentsDeps) {
    this.#deps = deps;
  }

  /** Errors: those of StartPayment. */
  async start(
    request: StartPaymentRequest,
    call: Call,
  ): Promise<{ paymentId: string; challengeUrl?: string }> {
    const card = await this.#card(request, call);
    let started = await this.#write(request, call, card, false);
    if (started.isInTheWay) {
      await this.#giveUp(call, started);
      started = await this.#write(request, call, card, true);
    }
    const { payment, charge, due } = started;
    const paymentId = payment.id;
    if (due && charge.preparationCount !== null) await this.#prepare(call, due);
    else if (due && payment.method === "card") await this.#authorize(request, call, charge, due);
    const now =
      due && payment.method === "card" ? await stateOf(this.#deps, call, paymentId) : { payment, charge };
    const { challengeUrl } = now.charge;
    return now.payment.status === "processing" && challengeUrl != null
      ? { paymentId, challengeUrl }
      : { paymentId };
  }

  /** Decides the start and writes it. `isGivenUp`: what was in its way was asked to end. */
  async #write(
    request: StartPaymentRequest,
    call: Call,
    card: KnownCard,
    isGivenUp: boolean,
  ): Promise<Started> {
    return await this.#deps.operations.writeOnce(
      call,
      async () => await this.#decide(request, call, card, isGivenUp),
    );
  }

  /** Returns true if the session's payment on a provider's page is in the way of the option that the request asks for. */
  async #isInTheWay(
    request: StartPaymentRequest,
    call: Call,
    { charge, payment }: Earlier,
  ): Promise<boolean> {
    if (payment.status !== "processing" || charge.cardStyle !== "redirect") return false;
    if (charge.challengeUrl == null || charge.reviewedAt != null) return false;
    const { installments } = await this.#deps.sessions.priceOf(payment, call);
    const isSame =
      fromMethodEnum(request.paymentMethod) === "card" && (request.installments ?? 1) === installments;
    return !isSame;
  }

  /** Gives up a payment on a provider's page. One whose page could not be withdrawn stays in progress. */
  async #giveUp(call: Call, { charge, payment }: Earlier): Promise<void> {
    const { checks, log } = this.#deps;
    await checks.giveUp(call, charge).catch((error: unknown) => {
      if (!(error instanceof ProviderFault)) throw error;
      log.error({ err: error, payment_id: payment.id }, "a charge could not be withdrawn");
    });
  }

  /** Returns the start's card. Error: service_unavailable if its provider does not say. */
  async #card({ cardToken = "", linkId }: StartPaymentRequest, call: Call): Promise<KnownCard> {
    const { environments, providers } = this.#deps;
    if (cardToken === "" || holdsCardNumber(cardToken)) return { key: cardToken, holder: null };
    const { card } = await providers[call.mode].offered(call);
    const link = { tenantId: call.tenantId, linkId };
    return await cardOf(environments[call.mode], link, card, cardToken).catch((error: unknown) => {
      if (!(error instanceof ProviderFault)) throw error;
      throw new PaylinkError("service_unavailable", "The card's provider does not answer.");
    });
  }

  /** Asks for the code or page, and stops waiting after PREPARATION_WAIT_MS. The worker asks again if there is none. */
  async #prepare(call: Call, started: Omit<State, "now">): Promise<void> {
    const { checks, clock, log } = this.#deps;
    const waited = new AbortController();
    const prepared = checks
      .prepare(call, { ...started, now: wholeSecond(clock) })
      .catch((error: unknown) =>
        log.error({ err: error, payment_id: started.payment.id }, "a payment could not be prepared"),
      )
      .finally(() => waited.abort());
    await Promise.race([prepared, passes(PREPARATION_WAIT_MS, undefined, { signal: waited.signal })]).catch(
      () => undefined,
    );
  }

  /** Asks the card's issuer. The payment's charge then says where the holder must confirm first, if anywhere. */
  async #authorize(
    request: StartPaymentRequest,
    call: Call,
    charge: ChargeRow,
    { price, link }: NonNullable<Started["due"]>,
  ): Promise<void> {
    const { providers, identity, log } = this.#deps;
    const { paymentId } = charge;
    const { card } = await providers[call.mode].ofAccount(call, charge.accountId ?? null);
    if (!card) return;
    try {
      const merchantName = await payeeName(identity, link);
      const token = request.cardToken ?? "";
      const asked = { charge, price, link, merchantName, token };
      const state = await card.authorize(await cardRequest(this.#deps, card.terms, asked));
      await recordCard(this.#deps, call, charge, state);
    } catch (error) {
      // Nothing was made, as of a token whose time is over: the payer may try again at once.
      if (error instanceof ProviderFault && error.kind === "refused") {
        await this.#deps.charges.decline(call, paymentId, ownDecline(REFUSED), true);
        return;
      }
      if (error instanceof ProviderFault && error.kind === "busy" && error.isUndone) {
        await this.#deps.charges.decline(call, paymentId, ownDecline(BUSY), true);
        const { clock, environments } = this.#deps;
        const until = notBefore(clock, error.retryAfterSeconds ?? 0);
        await postponeCheck(environments[call.mode], charge, wholeSecond(clock), until);
      }
      // It is not known yet if the card was charged: the payment stays in processing, and the provider is asked again.
      log.error({ err: error, payment_id: paymentId }, "a card was not answered for");
    }
  }

  async #decide(
    request: StartPaymentRequest,
    call: Call,
    card: KnownCard,
    isGivenUp: boolean,
  ): Promise<Decision<Started>> {
    const { clock, providers, sessions, environments, encryption } = this.#deps;
    const now = wholeSecond(clock);
    const { link, priced, earlier, charges } = await sessions.find(request.linkId, request.sessionId, call);
    if (earlier && !isGivenUp && (await this.#isInTheWay(request, call, earlier)))
      return { response: { ...earlier, isInTheWay: true }, changes: [] };
    const same = underWay(earlier, request.paymentMethod);
    if (same?.payment.status === "succeeded") return { response: same, changes: [] };
    const given = request.payer === undefined ? await givenDetails(encryption, charges) : {};
    if (same) {
      const price = await sessions.priceOf(same.payment, call);
      const used = await providers[call.mode].ofAccount(call, same.charge.accountId ?? null);
      const needed = payerFieldsOf(used, same.payment.method);
      return await decideAgain(request, same, link, price, needed, given, encryption);
    }
    requireActive(link, now);
    if (priced.session.expiresAt <= now || priced.session.paymentCount >= SESSION_PAYMENTS_MAX) {
      throw new PaylinkError("checkout_session_expired", "The prices of this session have ended.");
    }
    const environment = environments[call.mode];
    const offered = await providers[call.mode].offered(call);
    const deps = { ...this.#deps, environment, providers: offered, now, card, given };
    const { payment, charge, price, changes } = await decideStart(request, call, link, priced, deps);
    const audit = { objectId: payment.id };
    const used = request.payer === undefined ? lockGivenDetails(charges) : [];
    const due = { payment, charge, price, link };
    return { response: { payment, charge, due }, changes: [...changes, ...used], audit };
  }

  /** Errors: not_available_in_live, payment_not_found. */
  async simulate(linkId: string, sessionId: string, action: SandboxAction, call: Call): Promise<void> {
    const { simulator } = await this.#deps.providers[call.mode].offered(call);
    if (call.mode === "live" || !simulator) {
      throw new PaylinkError("not_available_in_live", "Only payments of test mode are simulated.");
    }
    const { earlier } = await this.#deps.sessions.find(linkId, sessionId, call);
    if (!earlier) throw paymentNotFound();
    const { charge, payment } = earlier;
    if (action === SandboxAction.EXPIRE) return await this.#deps.charges.expire(call, payment.id);
    const isApproval = action === SandboxAction.APPROVE;
    if (payment.method === "ted") return await this.#transfer(call, earlier, isApproval);
    await simulator.act(charge.reference, isApproval ? "approve" : "decline");
    await this.#deps.checks.refresh(call, charge);
  }

  /** Simulates a transfer, which otherwise only a bank can send. */
  async #transfer(call: Call, { charge, payment }: Earlier, isApproval: boolean): Promise<void> {
    if (!isApproval)
      return await this.#deps.charges.decline(call, payment.id, ownDecline("transfer_returned"));
    const { payerTotalMinor: amountMinor } = await this.#deps.sessions.priceOf(payment, call);
    const providerPaymentId = `sandbox-${charge.reference}`;
    const paidAt = wholeSecond(this.#deps.clock);
    await this.#deps.charges.receive(call, payment.id, { providerPaymentId, amountMinor, paidAt });
  }
}

export function paymentNotFound(): PaylinkError {
  return noSuch("payment_not_found", "payment");
}
