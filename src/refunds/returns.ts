import { findCharge } from "../checkout/repository.ts";
import { findException } from "../checkout/exceptions.ts";
import { reserveOfPayment } from "../ledger/refunding.ts";
import { findPayment } from "../ledger/repository.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call } from "../platform/rpc/call.ts";
import { insert } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Decision } from "../platform/write/decision.ts";
import { findPrice } from "../pricing/repository.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import type { Answers } from "./answers.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund, type RefundRow } from "./entities.ts";
import { nameOf, nameOfKnown, underKnownIds } from "./known-chargebacks.ts";
import { newRefund, reserveOfException } from "./new-refund.ts";
import { CHARGEBACK, namesChargeback, surplusOf, withinLeft } from "./refund-state.ts";
import { findRefund, findReturn, goneMinor, listKnown, type KnownRefund } from "./repository.ts";

type Kept = RefundRow | "excess" | null;

// Of one payment, by the provider's own decision.
const RETURNS_MAX = 100;

/** Records what providers report of money that went back: by our refunds, and by their own decision. */
export class Returns {
  readonly #deps: RefundsDeps;
  readonly #answers: Answers;

  constructor(deps: RefundsDeps, answers: Answers) {
    this.#deps = deps;
    this.#answers = answers;
  }

  /**
   * Records returns of money of a payment or of its exceptions, each once. Money of neither is left alone. A provider may
   * report any number and any amount: those beyond RETURNS_MAX are left, and so is one of more than is left of its money,
   * unless it is a chargeback, which takes what is left.
   */
  async record(call: Call, paymentId: string, returns: readonly ProviderReturn[]): Promise<void> {
    const { environments, log } = this.#deps;
    if (returns.length === 0) return;
    const known = await listKnown(environments[call.mode], call.tenantId, paymentId);
    const names = new Set(known.map(nameOfKnown));
    const named = underKnownIds(returns, known);
    const reported = new Map(withoutOwn(named, known, names).map((one) => [nameOf(one), one]));
    const fresh = [...reported].flatMap(([name, one]) => (names.has(name) ? [] : [one]));
    const room = Math.max(0, RETURNS_MAX - known.filter(({ origin }) => origin === "provider").length);
    if (fresh.length > room) {
      const about = { mode: call.mode, payment_id: paymentId, count: fresh.length - room };
      log.error(about, "a provider tells more returns of a payment than are kept");
    }
    const left = new Set(fresh.slice(room));
    let excessCount = 0;
    // What came back makes room for what left.
    const inOrder = [...reported.values()].toSorted(
      (one, other) => Number(isBack(other)) - Number(isBack(one)),
    );
    for (const one of inOrder) {
      if (left.has(one)) continue;
      const own = await findRefund(environments[call.mode], call.tenantId, one.id);
      const refund =
        own?.origin === "merchant" ? ownOf(own, paymentId, one) : await this.#kept(call, paymentId, one);
      if (refund === "excess") excessCount++;
      else if (refund) await this.#answers.record(call, refund.id, one);
      const surplus = own && refund === own ? surplusOf(own, one) : undefined;
      if (surplus && (await this.#isExcess(call, paymentId, surplus, names))) excessCount++;
    }
    if (excessCount > 0) this.#answers.reportExcess(call, paymentId, excessCount);
  }

  /** Keeps and reports what went back by a refund beyond its amount. Returns true if less is left of its money. */
  async #isExcess(
    call: Call,
    paymentId: string,
    surplus: ProviderReturn,
    names: ReadonlySet<string>,
  ): Promise<boolean> {
    const row = await this.#kept(call, paymentId, surplus);
    if (row === "excess") return true;
    if (row === null) return false;
    if (!names.has(nameOf(surplus))) {
      const about = { mode: call.mode, payment_id: paymentId, refund_id: row.id };
      this.#deps.log.error(about, "a provider gave back more than a refund asked for");
      if (call.mode === "live") this.#deps.onWrongAnswer();
    }
    await this.#answers.record(call, row.id, surplus);
    return false;
  }

  /**
   * Returns the row of a provider's own return, which reserves its amount from now on; null if it is not ours;
   * "excess" if less than its amount is left. A refund that is under way leaves it: the provider will refuse one of them.
   */
  async #kept(call: Call, paymentId: string, one: ProviderReturn): Promise<Kept> {
    return await this.#deps.operations.writeOnce(
      { ...call, audit: NO_ENTRY },
      async () => await this.#decideKeeping(call, paymentId, one),
    );
  }

  async #decideKeeping(
    { tenantId, mode }: Call,
    paymentId: string,
    { id: providerReturnId, providerPaymentId, amountMinor, status, reason }: ProviderReturn,
  ): Promise<Decision<Kept>> {
    const { environments, identity, clock } = this.#deps;
    const environment = environments[mode];
    const none = { response: null, changes: [] };
    const charge = await findCharge(environment, tenantId, { paymentId });
    if (!charge) return none;
    const accountId = charge.accountId ?? null;
    const named = { tenantId, accountId, providerPaymentId, providerReturnId };
    const earlier = await findReturn(environment, named);
    if (earlier) return { response: earlier, changes: [] };
    // Money that never left.
    if (status === "failed") return none;
    const isOwn = charge.providerPaymentId === providerPaymentId;
    const payment = isOwn ? await findPayment(environment, tenantId, paymentId) : null;
    const exception = isOwn ? null : await findException(environment, tenantId, paymentId, providerPaymentId);
    if (!payment && !exception) return none;
    const receivedMinor = payment
      ? (await findPrice(environment, tenantId, payment.priceId)).payerTotalMinor
      : (exception?.amountMinor ?? 0n);
    const leftMinor =
      receivedMinor - (await goneMinor(environment, tenantId, paymentId, exception?.id ?? null));
    const feeRule = (await identity.settingsOf(tenantId)).tenant.refundFee;
    const given = {
      ...named,
      paymentId,
      exceptionId: exception?.id ?? null,
      amountMinor,
      feeRule,
      reason: namesChargeback(reason) ? CHARGEBACK : null,
    };
    const whole = newRefund({ ...given, origin: "provider", status: "processing" }, wholeSecond(clock));
    const row = withinLeft(whole, leftMinor);
    if (!row) return { response: "excess", changes: [] };
    const holding = payment ? [reserveOfPayment(payment, row.amountMinor)] : [];
    const held = exception ? [reserveOfException(exception, row.amountMinor)] : holding;
    return { response: row, changes: [insert(Refund, row), ...held], audit: { objectId: row.id } };
  }
}

function isBack({ status }: ProviderReturn): boolean {
  return status === "failed";
}

/**
 * Leaves out the returns without an id of ours that are our own refunds: of each money and amount, as many as were asked
 * for. A refund's own checks say what becomes of it. One whose money never left is left out, too.
 */
function withoutOwn(
  returns: readonly ProviderReturn[],
  known: readonly KnownRefund[],
  names: ReadonlySet<string>,
): ProviderReturn[] {
  const asked = known.filter(({ origin, status }) => origin === "merchant" && status !== "failed");
  return returns.filter((one) => {
    if (one.isUnnamed !== true || names.has(nameOf(one))) return true;
    if (one.status === "failed") return false;
    const index = asked.findIndex(
      (own) => own.providerPaymentId === one.providerPaymentId && own.amountMinor === one.amountMinor,
    );
    if (index !== -1) asked.splice(index, 1);
    return index === -1;
  });
}

/** Returns the refund if the return is of its payment and money, else null. */
function ownOf(
  refund: RefundRow,
  paymentId: string,
  { providerPaymentId }: ProviderReturn,
): RefundRow | null {
  return refund.paymentId === paymentId && refund.providerPaymentId === providerPaymentId ? refund : null;
}
