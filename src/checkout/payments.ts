import { setTimeout as passes } from "node:timers/promises";
import { SandboxAction, type StartPaymentRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { Decision } from "../platform/decision.ts";
import type { Call } from "../platform/call.ts";
import type { Encryption } from "../platform/encryption.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { ChargesDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import type { ChargeChecks } from "./charge-checks.ts";
import type { Charges } from "./charges.ts";
import { payeeName } from "./payee.ts";
import { SESSION_PAYMENTS_MAX } from "./session.ts";
import { decideAgain } from "./repeated-start.ts";
import { requireActive, type Sessions } from "./sessions.ts";
import { chargeRequest, decideStart, underWay, type Earlier } from "./start-payment.ts";

export interface PaymentsDeps extends ChargesDeps {
  readonly sessions: Sessions;
  readonly charges: Charges;
  readonly checks: ChargeChecks;
  readonly encryption: Encryption;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
}

// A payer's request waits this long for the provider. After that, the page says that the code is being prepared.
const PREPARATION_WAIT_MS = 3000;

/** The payment that the request leads to, and the data for the request to the provider that is still due. */
interface Started extends Earlier {
  readonly due?: { readonly price: PriceValues; readonly link: PaymentLinkRow };
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
    const { operations } = this.#deps;
    const { payment, charge, due } = await operations.writeOnce(
      call,
      async () => await this.#decide(request, call),
    );
    const paymentId = payment.id;
    if (due && payment.method === "pix") await this.#prepare(call, paymentId);
    if (due && payment.method === "card") {
      const challengeUrl = await this.#authorize(request, call, charge, due);
      return challengeUrl === undefined ? { paymentId } : { paymentId, challengeUrl };
    }
    const { challengeUrl } = charge;
    return payment.status === "processing" && challengeUrl != null
      ? { paymentId, challengeUrl }
      : { paymentId };
  }

  /** Asks for the code, and stops waiting for it after PREPARATION_WAIT_MS. The worker asks again if there is none. */
  async #prepare(call: Call, paymentId: string): Promise<void> {
    const { checks, log } = this.#deps;
    const waited = new AbortController();
    const prepared = checks
      .prepare(call, paymentId)
      .catch((error: unknown) =>
        log.error({ err: error, payment_id: paymentId }, "a PIX code could not be prepared"),
      )
      .finally(() => waited.abort());
    await Promise.race([prepared, passes(PREPARATION_WAIT_MS, undefined, { signal: waited.signal })]).catch(
      () => undefined,
    );
  }

  /** Asks the card's issuer. Returns the address at which the holder must confirm first, if there is one. */
  async #authorize(
    request: StartPaymentRequest,
    call: Call,
    charge: ChargeRow,
    { price, link }: NonNullable<Started["due"]>,
  ): Promise<string | undefined> {
    const { charges, providers, identity, checkoutBase, log } = this.#deps;
    const { paymentId } = charge;
    const { card } = await providers[call.mode].ofAccount(call, charge.accountId ?? null);
    if (!card) return undefined;
    const returnUrl = `${checkoutBase}/pay/${request.linkId}/${request.sessionId}`;
    const { installments } = price;
    try {
      const asked = chargeRequest(charge, price, link, await payeeName(identity, link));
      const token = request.cardToken ?? "";
      const state = await card.authorize({ ...asked, installments, returnUrl, token });
      await charges.applyCard(call, paymentId, state);
      return state.status === "challenge" ? state.url : undefined;
    } catch (error) {
      // It is not known yet if the card was charged: the payment stays in processing, and the provider is asked again.
      log.error({ err: error, payment_id: paymentId }, "a card was not answered for");
      return undefined;
    }
  }

  async #decide(request: StartPaymentRequest, call: Call): Promise<Decision<Started>> {
    const { clock, providers, sessions, environments } = this.#deps;
    const now = wholeSecond(clock);
    const { link, priced, earlier } = await sessions.find(request.linkId, request.sessionId, call);
    const same = underWay(earlier, request.paymentMethod);
    if (same?.payment.status === "succeeded") return { response: same, changes: [] };
    if (same) {
      const price = await sessions.priceOf(same.payment, call);
      return await decideAgain(request, same, link, price, this.#deps.encryption);
    }
    requireActive(link, now);
    if (priced.session.expiresAt <= now || priced.session.paymentCount >= SESSION_PAYMENTS_MAX) {
      throw new PaylinkError("checkout_session_expired", "The prices of this session have ended.");
    }
    const environment = environments[call.mode];
    const deps = { ...this.#deps, environment, providers: await providers[call.mode].offered(call), now };
    const { payment, charge, price, changes } = await decideStart(request, call, link, priced, deps);
    const audit = { objectId: payment.id };
    return { response: { payment, charge, due: { price, link } }, changes, audit };
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
    if (!isApproval) return await this.#deps.charges.decline(call, payment.id, "transfer_returned");
    const { payerTotalMinor: amountMinor } = await this.#deps.sessions.priceOf(payment, call);
    const providerPaymentId = `sandbox-${charge.reference}`;
    const paidAt = wholeSecond(this.#deps.clock);
    await this.#deps.charges.receive(call, payment.id, { providerPaymentId, amountMinor, paidAt });
  }
}

export function paymentNotFound(): PaylinkError {
  return new PaylinkError("payment_not_found", "There is no such payment.");
}
