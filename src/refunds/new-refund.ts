import { findCharge } from "../checkout/repository.ts";
import { PaymentException, type ChargeRow, type PaymentExceptionRow } from "../checkout/entities.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import { reserveOfPayment } from "../ledger/refunding.ts";
import { findPayment } from "../ledger/repository.ts";
import { update, type Change } from "../platform/write/change.ts";
import { dueAfter, secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { findPrice } from "../pricing/repository.ts";
import { isId, newId } from "../../contract/ids.ts";
import type { RefundsDeps } from "./deps.ts";
import type { RefundRow } from "./entities.ts";
import { requireFewRefunds } from "./refund-count.ts";
import { FIRST_CHECK_SECONDS } from "./refund-state.ts";
import {
  amountWithin,
  leftOfException,
  leftOfPayment,
  requireRefundable,
  requireSucceeded,
} from "./refundable.ts";
import { successTime } from "./repository.ts";

/** What is to be given back, and why. */
export interface Asked {
  readonly amount?: bigint | undefined;
  readonly reason?: string | undefined;
}

/** A refund that is to be written, with the changes that reserve its amount. */
export interface NewRefund {
  readonly refund: RefundRow;
  readonly changes: readonly Change[];
}

interface Owner {
  readonly tenantId: string;
  readonly environment: Environment;
}

type Deps = Pick<RefundsDeps, "clock" | "identity">;

/** Returns a refund of a payment's money. Errors: payment_not_found, invalid_request, refund_period_over. */
export async function ofPayment(
  { clock, identity }: Deps,
  { tenantId, environment }: Owner,
  id: string,
  { amount, reason }: Asked,
): Promise<NewRefund> {
  const payment = isId("pay", id) ? await findPayment(environment, tenantId, id) : null;
  if (!payment) throw paymentNotFound();
  requireSucceeded(payment);
  const now = wholeSecond(clock);
  const charge = await findCharge(environment, tenantId, { paymentId: id });
  const paidAt = charge?.paidAt ?? (await successTime(environment, tenantId, id));
  requireRefundable(payment.method, paidAt, now);
  const price = await findPrice(environment, tenantId, payment.priceId);
  const amountMinor = amountWithin(amount, leftOfPayment(payment, price));
  const money = moneyOf(charge, payment);
  const feeRule = (await identity.settingsOf(tenantId)).tenant.refundFee;
  const asked = newRefund({ ...money, feeRule, amountMinor, reason: reason ?? null }, now);
  const refund = { ...asked, checkAt: dueAfter(clock, FIRST_CHECK_SECONDS) };
  await requireFewRefunds(environment, refund);
  return { refund, changes: [reserveOfPayment(payment, amountMinor)] };
}

/** Returns a refund of an exception's money. Errors: payment_not_found, invalid_request, refund_period_over. */
export async function ofException(
  { clock, identity }: Deps,
  { tenantId, environment }: Owner,
  id: string,
  { amount, reason }: Asked,
): Promise<NewRefund> {
  const exception = await environment.orm.em.fork().findOne(PaymentException, { tenantId, id });
  const payment = exception && (await findPayment(environment, tenantId, exception.paymentId));
  if (!payment) throw paymentNotFound();
  const now = wholeSecond(clock);
  requireRefundable(payment.method, exception.receivedAt, now);
  const { providerPaymentId } = exception;
  const amountMinor = amountWithin(amount, leftOfException(exception));
  const charge = await findCharge(environment, tenantId, { paymentId: payment.id });
  const money = { ...moneyOf(charge, payment), providerPaymentId, exceptionId: id };
  const feeRule = (await identity.settingsOf(tenantId)).tenant.refundFee;
  const asked = newRefund({ ...money, feeRule, amountMinor, reason: reason ?? null }, now);
  const refund = { ...asked, checkAt: dueAfter(clock, FIRST_CHECK_SECONDS) };
  await requireFewRefunds(environment, refund);
  return { refund, changes: [reserveOfException(exception, amountMinor)] };
}

/**
 * Returns the change that reserves an amount of an exception for going back, or frees it if it is negative. From then on
 * nothing of it is given back by itself.
 */
export function reserveOfException(
  { tenantId, id, refundReservedMinor }: PaymentExceptionRow,
  byMinor: bigint,
): Change {
  const set = { refundReservedMinor: refundReservedMinor + byMinor, refundAt: null };
  return update(PaymentException, { tenantId, id, refundReservedMinor }, set);
}

/** Returns the row of money that goes back, before anybody was asked. */
export function newRefund(
  given: Pick<
    RefundRow,
    "tenantId" | "paymentId" | "exceptionId" | "providerPaymentId" | "accountId" | "amountMinor" | "feeRule"
  > &
    Partial<
      Pick<RefundRow, "reason" | "origin" | "providerReturnId" | "status" | "unbookedMinor" | "restOf">
    >,
  now: Date,
): RefundRow {
  return {
    reason: null,
    origin: "merchant",
    providerReturnId: null,
    status: "requested",
    unbookedMinor: 0n,
    restOf: null,
    ...given,
    id: newId("ref"),
    failureReason: null,
    beforeMinor: null,
    createdAt: now,
    updatedAt: null,
    reversedAt: null,
    reversedBeforeMinor: null,
    checkAt: secondsAfter(now, FIRST_CHECK_SECONDS),
    changeCount: 0,
    refusedAt: null,
    absenceCount: 0,
    sentAt: null,
  };
}

export function paymentNotFound(): PaylinkError {
  return noSuch("payment_not_found", "payment");
}

function moneyOf(charge: ChargeRow | null, { tenantId, id }: PaymentRow) {
  return {
    tenantId,
    paymentId: id,
    exceptionId: null,
    providerPaymentId: charge?.providerPaymentId ?? null,
    accountId: charge?.accountId ?? null,
  };
}
