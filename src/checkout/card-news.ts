import type { Call } from "../platform/rpc/call.ts";
import type { Environment } from "../platform/db/database.ts";
import type { CardState } from "../providers/card-port.ts";
import { ownDecline } from "../providers/decline-code.ts";
import type { Charges } from "./charges.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { ChargesDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import { receiveNew } from "./reported-money.ts";
import { noteRemoval } from "./due-charges.ts";

interface Deps extends ChargesDeps {
  readonly charges: Charges;
}

// A review that ends without an approval leaves the charge as it was before, or withdrawn. No provider says why.
const RISK_REFUSED = ownDecline("risk_refused");

/** Counts that the provider does not know a charge. It may know it later, so this is no news of the payment. */
async function noteAbsence(
  { pool }: Environment,
  { tenantId, paymentId }: Pick<ChargeRow, "tenantId" | "paymentId">,
): Promise<void> {
  await pool.query({
    name: "note absence",
    text: `UPDATE charge SET absent_count = absent_count + 1
      WHERE tenant_id = $1 AND payment_id = $2 AND is_open AND absent_count < 100`,
    values: [tenantId, paymentId],
  });
}

/** Lets the provider be asked soon what became of a paid charge's money: there is news of it. */
async function askAboutMoney(
  { environments, clock }: Deps,
  { mode }: Call,
  { tenantId, paymentId }: ChargeRow,
): Promise<void> {
  await environments[mode].pool.query({
    name: "news of a card's money",
    text: `UPDATE charge SET settlement_check_at = $3
      WHERE tenant_id = $1 AND payment_id = $2 AND provider_payment_id IS NOT NULL`,
    values: [tenantId, paymentId, new Date(clock.nowMs())],
  });
}

/** Records what a provider says of a card charge: its money first, whatever the status. */
export async function recordCard(
  deps: Deps,
  call: Call,
  charge: ChargeRow,
  { progress, chargeId, receipts, returns }: CardState,
): Promise<void> {
  const { charges, recordReturns, environments } = deps;
  const { paymentId } = charge;
  await receiveNew(deps, call, charge, receipts);
  await recordReturns(call, paymentId, returns);
  if (charge.providerPaymentId != null) await askAboutMoney(deps, call, charge);
  switch (progress.status) {
    case "absent":
      await noteAbsence(environments[call.mode], charge);
      break;
    case "processing":
      await charges.reviewed(call, paymentId, chargeId);
      break;
    case "challenge":
      if (charge.reviewedAt == null) await charges.challenged(call, paymentId, progress.url, chargeId);
      else await charges.decline(call, paymentId, RISK_REFUSED, true);
      break;
    case "declined":
      await charges.decline(call, paymentId, progress.decline);
      break;
    case "canceled":
      await charges.decline(
        call,
        paymentId,
        charge.reviewedAt == null ? ownDecline("canceled") : RISK_REFUSED,
        true,
      );
      await noteRemoval(environments[call.mode], charge, wholeSecond(deps.clock));
      break;
    case "approved":
      break;
  }
}
