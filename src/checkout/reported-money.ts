import type { Call } from "../platform/rpc/call.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { isOver } from "./charge-end.ts";
import { stateOf } from "./charge-state.ts";
import type { Charges } from "./charges.ts";
import type { ChargesDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import { exceptedMoney } from "./exceptions.ts";

interface Deps extends ChargesDeps {
  readonly charges: Charges;
}

// Of one answer, and of one charge in all. The sweeps register the money beyond them.
const RECEIPTS_MAX = 50;
const EXCEPTIONS_MAX = 100;

/** Records the money that is not known yet, the oldest first. A provider may report any number: the rest is left. */
export async function receiveNew(
  deps: Deps,
  call: Call,
  charge: ChargeRow,
  receipts: readonly ProviderReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  const { environments, charges, log } = deps;
  const { tenantId, accountId, paymentId } = charge;
  const known = await exceptedMoney(environments[call.mode], tenantId, paymentId, EXCEPTIONS_MAX);
  let exceptionCount = known.size;
  const fresh = new Map(receipts.map((receipt) => [receipt.providerPaymentId, receipt]));
  for (const id of [...known, charge.providerPaymentId]) fresh.delete(id ?? "");
  const { payment, price } = await stateOf(deps, call, paymentId);
  const inOrder = [...fresh.values()].toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
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
