import { SandboxAction, type StartPaymentRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { wholeSecond } from "../platform/clock.ts";
import type { FaultLog } from "../platform/error-interceptor.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { Decision } from "../platform/decision.ts";
import type { Call } from "../platform/call.ts";
import type { Encryption } from "../platform/encryption.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ChargesDeps } from "./charge-state.ts";
import { Charges } from "./charges.ts";
import { SESSION_PAYMENTS_MAX } from "./session.ts";
import { decideAgain } from "./repeated-start.ts";
import { requireActive, type Sessions } from "./sessions.ts";
import { chargeRequest, decideStart, underWay, type Earlier } from "./start-payment.ts";

export interface PaymentsDeps extends ChargesDeps {
  readonly sessions: Sessions;
  readonly charges: Charges;
  readonly encryption: Encryption;
  readonly log: FaultLog;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
}

/** The payment that the request leads to, and the data for the request to the provider that is still due. */
interface Started extends Earlier {
  readonly toAuthorize?: { readonly price: PriceValues; readonly merchantName: string };
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
    const { operations, charges } = this.#deps;
    const { payment, charge, toAuthorize } = await operations.writeOnce(
      call,
      async () => await this.#decide(request, call),
    );
    const paymentId = payment.id;
    const { card } = this.#deps.providers[call.mode];
    if (toAuthorize && card) {
      const { price, merchantName } = toAuthorize;
      const returnUrl = `${this.#deps.checkoutBase}/pay/${request.linkId}/${request.sessionId}`;
      const { installments } = price;
      const charged = { ...chargeRequest(charge, price, merchantName, call), installments, returnUrl };
      try {
        const state = await card.authorize({ ...charged, token: request.cardToken ?? "" });
        await charges.applyCard(call, paymentId, state);
        if (state.status === "challenge") return { paymentId, challengeUrl: state.url };
      } catch (error) {
        // It is not known yet if the card was charged: the payment stays in processing, and the provider is asked
        // again.
        this.#deps.log.error({ err: error, payment_id: paymentId }, "a card was not answered for");
      }
      return { paymentId };
    }
    const { challengeUrl } = charge;
    return payment.status === "processing" && challengeUrl != null
      ? { paymentId, challengeUrl }
      : { paymentId };
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
    const merchantName = await sessions.merchantName(link);
    const environment = environments[call.mode];
    const deps = { ...this.#deps, environment, providers: providers[call.mode], merchantName, now };
    const { payment, charge, price, changes } = await decideStart(request, call, link, priced, deps);
    const toAuthorize = price.method === "card" ? { price, merchantName } : undefined;
    const audit = { objectId: payment.id };
    return { response: { payment, charge, ...(toAuthorize ? { toAuthorize } : {}) }, changes, audit };
  }

  /** Errors: not_available_in_live, payment_not_found. */
  async simulate(linkId: string, sessionId: string, action: SandboxAction, call: Call): Promise<void> {
    const { simulator } = this.#deps.providers[call.mode];
    if (call.mode === "live" || !simulator) {
      throw new PaylinkError("not_available_in_live", "Only payments of test mode are simulated.");
    }
    const { earlier } = await this.#deps.sessions.find(linkId, sessionId, call);
    if (!earlier) throw paymentNotFound();
    const { charge, payment } = earlier;
    if (action === SandboxAction.EXPIRE) return await this.#deps.charges.expire(call, payment.id);
    const isApproval = action === SandboxAction.APPROVE;
    if (payment.method === "ted") return await this.#transfer(call, earlier, isApproval);
    await simulator.act(call, charge.reference, isApproval ? "approve" : "decline");
    await this.#deps.charges.refresh(call, charge);
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
