import { setTimeout as passes } from "node:timers/promises";
import { findCharge } from "../checkout/repository.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { notBefore, secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import type { ProviderReturn, Refunding } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { Answers } from "./answers.ts";
import type { RefundsDeps } from "./deps.ts";
import type { RefundRow } from "./entities.ts";
import { isFinal, isMissing, SENT_CHECK_SECONDS, type Answer } from "./refund-state.ts";
import { findRefund, listOthers, markSent, postponeRefund, unmarkSent } from "./repository.ts";

// A merchant's request waits this long for the provider. After that, the worker asks.
const WAIT_MS = 3000;

/** Asks providers to give money back, outside of any transaction. `Answers` records what they say. */
export class Asking {
  readonly #deps: RefundsDeps;
  readonly #answers: Answers;

  constructor(deps: RefundsDeps, answers: Answers) {
    this.#deps = deps;
    this.#answers = answers;
  }

  /** Asks for a new refund, and stops waiting for the answer after WAIT_MS. Returns the refund as it then is. */
  async askBriefly(call: Call, id: string): Promise<RefundRow | null> {
    const waited = new AbortController();
    const asked = this.ask(call, id, false)
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error, refund_id: id }, "a refund was not answered for"),
      )
      .finally(() => waited.abort());
    await Promise.race([asked, passes(WAIT_MS, undefined, { signal: waited.signal })]).catch(() => undefined);
    return await findRefund(this.#deps.environments[call.mode], call.tenantId, id);
  }

  /**
   * Asks the provider about a refund or return that is not final, and records the answer, if it has one. `isRepeated`: an earlier
   * request may have reached the provider. Throws ProviderFault if the outcome is not known: it is then asked again.
   */
  async ask(call: Call, id: string, isRepeated: boolean): Promise<void> {
    const environment = this.#deps.environments[call.mode];
    const refund = await findRefund(environment, call.tenantId, id);
    if (!refund || isFinal(refund)) return;
    try {
      if (refund.origin === "provider") return await this.#askAboutReturn(call, refund);
      const answer = await this.#answerTo(call, refund, isRepeated);
      if (answer) await this.#answers.record(call, id, answer);
    } catch (error) {
      if (error instanceof ProviderFault && error.retryAfterSeconds !== null) {
        const until = notBefore(this.#deps.clock, error.retryAfterSeconds);
        await postponeRefund(environment, refund, until);
      }
      throw error;
    }
  }

  /**
   * Ends a refund that may have left and that its provider does not have. One that it has is recorded instead. Errors:
   * invalid_request on id. Throws ProviderFault if the provider's answer is not known.
   */
  async end(call: Call, id: string): Promise<RefundRow | null> {
    const { environments, clock } = this.#deps;
    const refund = await findRefund(environments[call.mode], call.tenantId, id);
    if (refund?.origin !== "merchant") throw invalidRequest("id", "There is no such refund.");
    if (isFinal(refund)) return refund;
    const { providerPaymentId, amountMinor, createdAt: requestedAt } = refund;
    if (!isMissing(refund, wholeSecond(clock)) || providerPaymentId == null) {
      throw invalidRequest("id", "The refund is not one that its provider should have and has not.");
    }
    const provider = await this.#providerOf(call, refund);
    const others = await listOthers(environments[call.mode], refund);
    const asked = { refundId: id, providerPaymentId, amountMinor, requestedAt, others };
    const found = await provider.findRefund(asked);
    await this.#answers.record(call, id, found ?? { status: "missing" }, call.audit);
    return await findRefund(environments[call.mode], call.tenantId, id);
  }

  /** Asks about the charge of a return by its provider that is under way: no list may have what becomes of it. */
  async #askAboutReturn(call: Call, { tenantId, paymentId }: RefundRow): Promise<void> {
    const charge = await findCharge(this.#deps.environments[call.mode], tenantId, { paymentId });
    if (charge?.accountId == null) return;
    await this.#deps.refreshCharge(call, charge.accountId, charge.reference, { isPeriodic: true });
  }

  async #answerTo(call: Call, refund: RefundRow, isRepeated: boolean): Promise<Answer | undefined> {
    const { id: refundId, providerPaymentId, amountMinor, reason, createdAt: requestedAt } = refund;
    if (providerPaymentId == null) return await this.#simulated(call, refund);
    const provider = await this.#providerOf(call, refund);
    const others = await listOthers(this.#deps.environments[call.mode], refund);
    const asked = { refundId, providerPaymentId, amountMinor, requestedAt, others };
    const isRefused = refund.refusedAt != null;
    const earlier = isRepeated || isRefused ? await provider.findRefund(asked) : undefined;
    if (earlier) return earlier;
    // A request that was refused is not repeated, so that the time since then says whether it was carried out.
    if (isRefused) return { status: "absent" };
    const ask = async (): Promise<ProviderReturn> =>
      await provider.refund({ ...asked, reason: reason ?? null });
    try {
      return provider.isRefundIdempotent ? await ask() : await this.#askOnce(call, refund, ask);
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
      return { status: "refused", reason: error.code ?? error.message };
    }
  }

  /**
   * Asks a provider that has no idempotency key. That the request may leave is committed before it does, so that no
   * process sends it twice: a refund that was sent is only looked for. Returns undefined of such a one, and reports it after a while.
   */
  async #askOnce(
    { mode }: Call,
    refund: RefundRow,
    ask: () => Promise<ProviderReturn>,
  ): Promise<Answer | undefined> {
    const environment = this.#deps.environments[mode];
    const now = wholeSecond(this.#deps.clock);
    if (!(await markSent(environment, refund, now, secondsAfter(now, SENT_CHECK_SECONDS)))) {
      if (isMissing(refund, now)) this.#reportMissing(mode, refund);
      return undefined;
    }
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ProviderFault && error.isUndone) await unmarkSent(environment, refund);
      throw error;
    }
  }

  #reportMissing(mode: Mode, { id, paymentId }: RefundRow): void {
    const about = { mode, payment_id: paymentId, refund_id: id };
    this.#deps.log.error(about, "a refund may have left and is not found at its provider");
    if (mode === "live") this.#deps.onWrongAnswer();
  }

  async #providerOf(call: Call, { tenantId, paymentId, accountId }: RefundRow): Promise<Refunding> {
    const { providers, environments } = this.#deps;
    const payment = await findPayment(environments[call.mode], tenantId, paymentId);
    const { pix, card } = await providers[call.mode].ofAccount(call, accountId ?? null);
    const provider = payment?.method === "card" ? card : pix;
    if (!provider) throw new ProviderFault("misconfigured", "the account of a refund does not exist");
    return provider;
  }

  /** Returns the answer for a simulated payment's money, of which the sandbox has no charge. */
  async #simulated(
    call: Call,
    { id: refundId, amountMinor, createdAt: requestedAt }: RefundRow,
  ): Promise<Answer> {
    const { simulator } = await this.#deps.providers[call.mode].ofAccount(call, null);
    if (!simulator) throw new ProviderFault("misconfigured", "no provider has the money of a refund");
    return simulator.refundSimulated({ refundId, amountMinor, requestedAt });
  }
}
