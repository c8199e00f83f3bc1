import { findCharge } from "../checkout/repository.ts";
import { newId } from "../../contract/ids.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Call } from "../platform/rpc/call.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Change } from "../platform/write/change.ts";
import { findPrice } from "../pricing/repository.ts";
import type { BalanceBlock } from "../providers/ports.ts";
import type { ReceivablesDeps } from "./deps.ts";
import type { DisputeRow } from "./entities.ts";
import { disputeChanges } from "./recording.ts";
import { findDisputes } from "./repository.ts";

type Deps = Pick<
  ReceivablesDeps,
  "operations" | "environments" | "clock" | "recordEvents" | "hasReturns" | "referencesOfMoney"
>;

// The changes are the worker's own: no audit log has an entry of them.
const UNNAMED = { objectId: "" };

/**
 * Returns the changes that keep what a provider tells of a PIX payment's money that it holds back: a dispute of the payment.
 * One whose money is free again is over once the provider was asked whether the money went back: `closeBlocks`.
 */
export async function noteBlock(
  deps: Deps,
  call: Call,
  accountId: string,
  block: BalanceBlock,
): Promise<Change[]> {
  const { environments, clock } = deps;
  const environment = environments[call.mode];
  const { tenantId } = call;
  const { id: providerDisputeId, providerPaymentId, isHeld, amountMinor, reason, on: openedOn } = block;
  const [reference] = await deps.referencesOfMoney(call, accountId, [providerPaymentId]);
  const charge = reference === undefined ? null : await findCharge(environment, tenantId, { reference });
  const payment = charge && (await findPayment(environment, tenantId, charge.paymentId));
  if (!payment) return [];
  const price = await findPrice(environment, tenantId, payment.priceId);
  const kept = await findDisputes(environment, { tenantId, paymentId: payment.id });
  const now = wholeSecond(clock);
  if (!isHeld) {
    const freed = kept.filter(({ status }) => status === "needs_response");
    const moved = freed.map((before) => ({
      before,
      after: { ...before, status: "under_review" as const, updatedAt: now },
    }));
    return disputeChanges(deps, call, { payment, price }, moved);
  }
  if (kept.some((one) => one.providerDisputeId === providerDisputeId)) return [];
  const after: DisputeRow = {
    tenantId,
    id: newId("dsp"),
    paymentId: payment.id,
    accountId,
    providerDisputeId,
    installment: 0,
    amountMinor,
    status: "needs_response",
    reason,
    openedOn,
    respondBy: null,
    createdAt: now,
    updatedAt: null,
  };
  return disputeChanges(deps, call, { payment, price }, [{ before: null, after }]);
}

/** Ends the disputes of a PIX payment whose money went back, or is free again and did not. */
export async function closeBlocks(
  deps: Deps,
  call: Call,
  of: { readonly paymentId: string } | { readonly reference: string },
): Promise<void> {
  const { operations, environments, clock } = deps;
  const environment = environments[call.mode];
  const { tenantId } = call;
  const { paymentId } = (await findCharge(environment, tenantId, of)) ?? {};
  if (paymentId === undefined) return;
  await operations.writeOnce(call, async () => {
    const payment = await findPayment(environment, tenantId, paymentId);
    if (payment?.method !== "pix") return { response: null, changes: [] };
    const kept = await findDisputes(environment, { tenantId, paymentId });
    if (kept.length === 0) return { response: null, changes: [] };
    const hasReturns = await deps.hasReturns(call, paymentId);
    const now = wholeSecond(clock);
    const moved = kept.flatMap((before) => {
      // What the merchant gave back beside it is of no dispute. Money that is free may go back all the same, a little later.
      const isGone = hasReturns && payment.refundedMinor >= before.amountMinor;
      const isOver = isGone ? before.status !== "lost" : before.status === "under_review";
      const status = isGone ? ("lost" as const) : ("won" as const);
      return isOver ? [{ before, after: { ...before, status, updatedAt: now } }] : [];
    });
    const price = await findPrice(environment, tenantId, payment.priceId);
    const changes = disputeChanges(deps, call, { payment, price }, moved);
    return { response: null, changes, audit: UNNAMED };
  });
}
