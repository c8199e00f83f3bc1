import type { Call } from "../platform/call.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import { wholeSecond } from "../platform/clock.ts";
import { checkedCode } from "../providers/pix-code.ts";
import type { PixProvider, ProviderReceipt, Providers } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { isEndDue, isOver, isWatchOver } from "./charge-end.ts";
import { stateOf, type State } from "./charge-state.ts";
import type { ChargesDeps } from "./deps.ts";
import type { Charges } from "./charges.ts";
import type { ChargeRow } from "./entities.ts";
import { exceptedMoney } from "./exceptions.ts";
import { payeeName } from "./payee.ts";
import { postponeCheck } from "./repository.ts";
import { chargeRequest } from "./start-payment.ts";

export interface ChargeChecksDeps extends ChargesDeps {
  readonly charges: Charges;
}

// Of one answer, and of one charge in all. The sweeps register the money beyond them.
const RECEIPTS_MAX = 50;
const EXCEPTIONS_MAX = 100;
// The reason of a payment whose charge its provider withdrew.
const REMOVED = "removed";

/** Asks providers about charges, outside of any transaction. `Charges` records their answers. */
export class ChargeChecks {
  readonly #deps: ChargeChecksDeps;

  constructor(deps: ChargeChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Asks the provider for a payment's PIX code, and writes it once it is checked. Throws ProviderFault if there is no
   * code, or a wrong one: the payment then waits for the next call.
   */
  async prepare(call: Call, paymentId: string): Promise<void> {
    const { charges, identity } = this.#deps;
    const state = await stateOf(this.#deps, call, paymentId);
    const { charge, price, link } = state;
    if (!isAwaited(state)) return;
    const { pix } = await this.#providersOf(call, charge);
    if (!pix) throw new ProviderFault("misconfigured", "the account of a charge does not exist");
    const request = chargeRequest(charge, price, link, await payeeName(identity, link));
    try {
      const code = checkedCode(await pix.createCharge(request), request);
      // The start's own entry says this change already.
      await charges.prepared({ ...call, audit: NO_ENTRY }, paymentId, code);
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.code !== REMOVED) {
        await this.#putOff(call, charge, error);
        throw error;
      }
      await charges.decline(call, paymentId, REMOVED, true);
    }
  }

  /** Asks the provider about a charge, in any state of its payment, and records the answer. */
  async refresh(call: Call, charge: ChargeRow, signal?: AbortSignal): Promise<void> {
    const { charges } = this.#deps;
    const { paymentId, reference } = charge;
    const { payment } = await stateOf(this.#deps, call, paymentId);
    if (payment.method === "ted") return;
    const { pix, card } = await this.#providersOf(call, charge);
    if (payment.method === "pix" && pix) await this.#refreshPix(call, charge, pix, signal);
    if (payment.method === "card" && card) {
      await charges.applyCard(call, paymentId, await card.find(reference));
    }
  }

  /**
   * Checks a charge that is due: asks the provider, and ends the payment if its time is over. A charge that the service
   * itself ended stays open, because money may still come. `isAsked`: false if the provider does not answer at present.
   */
  async check(call: Call, charge: ChargeRow, isAsked: boolean): Promise<void> {
    const { charges } = this.#deps;
    const { paymentId } = charge;
    const fault = isAsked ? await this.#asked(call, charge) : undefined;
    const state = await stateOf(this.#deps, call, paymentId);
    // PIX that was paid in time is accepted after the end, too. A card without an answer may have been charged.
    if (isEndDue(state) && (state.payment.method === "pix" || (isAsked && fault === undefined))) {
      await charges.expire(call, paymentId);
      if (isAsked) await this.#withdraw(call, state.charge);
    }
    if (isWatchOver(state)) await charges.close(call, paymentId);
    if (fault !== undefined) throw fault;
  }

  /** Asks the provider for the code or the news of a charge. Returns its fault, or undefined. */
  async #asked(call: Call, charge: ChargeRow): Promise<unknown> {
    try {
      if (isAwaited(await stateOf(this.#deps, call, charge.paymentId))) {
        await this.prepare(call, charge.paymentId);
      } else await this.refresh(call, charge);
      return undefined;
    } catch (error) {
      await this.#putOff(call, charge, error);
      return error;
    }
  }

  /** Puts the next check off, if the provider named a time for it. */
  async #putOff(call: Call, charge: ChargeRow, error: unknown): Promise<void> {
    const { environments, clock } = this.#deps;
    if (error instanceof ProviderFault && error.retryAfterSeconds !== null) {
      await postponeCheck(environments[call.mode], charge, wholeSecond(clock), error.retryAfterSeconds);
    }
  }

  async #refreshPix(
    call: Call,
    charge: ChargeRow,
    pix: PixProvider,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { charges, recordReturns } = this.#deps;
    const { paymentId, reference } = charge;
    const { status, reason = "", receipts, returns } = await pix.find(reference, signal);
    await this.#receiveNew(call, charge, receipts);
    await recordReturns(call, paymentId, returns);
    if (status === "rejected") await charges.decline(call, paymentId, reason);
    if (status === "removed") await charges.decline(call, paymentId, REMOVED, true);
  }

  /** Records the money that is not known yet, the oldest first. A provider may tell any number: the rest is left. */
  async #receiveNew(call: Call, charge: ChargeRow, receipts: readonly ProviderReceipt[]): Promise<void> {
    const { environments, charges, log } = this.#deps;
    const { tenantId, accountId, paymentId } = charge;
    const known = await exceptedMoney(environments[call.mode], tenantId, paymentId, EXCEPTIONS_MAX);
    let exceptionCount = known.size;
    const fresh = new Map(receipts.map((receipt) => [receipt.providerPaymentId, receipt]));
    for (const id of [...known, charge.providerPaymentId]) fresh.delete(id ?? "");
    const { payment, price } = await stateOf(this.#deps, call, paymentId);
    const inOrder = [...fresh.values()].toSorted(
      (one, other) => one.paidAt.getTime() - other.paidAt.getTime(),
    );
    const isAwaitedMoney = ({ amountMinor }: ProviderReceipt): boolean =>
      !isOver(payment) && amountMinor === price.payerTotalMinor;
    const possible = exceptionCount < EXCEPTIONS_MAX ? inOrder : inOrder.filter(isAwaitedMoney);
    let takenCount = 0;
    for (const receipt of possible.slice(0, RECEIPTS_MAX)) {
      if (exceptionCount >= EXCEPTIONS_MAX && !isAwaitedMoney(receipt)) continue;
      takenCount++;
      if ((await charges.receive(call, paymentId, receipt)).exceptionId !== null) exceptionCount++;
    }
    const count = inOrder.length - takenCount;
    if (count > 0) {
      const about = { mode: call.mode, account_id: accountId, payment_id: paymentId, count };
      log.error(about, "a provider tells more money of a charge than is looked at");
    }
  }

  /** Withdraws a charge whose payment we ended. If that fails, the charge is watched for late money all the same. */
  async #withdraw(call: Call, charge: ChargeRow): Promise<void> {
    if (charge.pixCode == null) return;
    const { pix } = await this.#providersOf(call, charge);
    await pix?.cancel(charge.reference).catch((error: unknown) => {
      this.#deps.log.error({ err: error, payment_id: charge.paymentId }, "a charge could not be withdrawn");
    });
  }

  async #providersOf(call: Call, { accountId }: ChargeRow): Promise<Providers> {
    return await this.#deps.providers[call.mode].ofAccount(call, accountId ?? null);
  }
}

/** Returns true if a payment waits for its code. */
function isAwaited({ charge, payment }: State): boolean {
  return charge.preparationCount != null && !isOver(payment);
}
