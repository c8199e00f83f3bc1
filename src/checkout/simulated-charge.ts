import { insertIdOwner } from "../identity/id-owner.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { Call } from "../platform/rpc/call.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { dueAfter } from "../platform/time/clock.ts";
import { insert, type Change } from "../platform/write/change.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { newId } from "../../contract/ids.ts";
import type { Aftermath } from "../providers/directory.ts";
import { markSessionPaid, updateCharge } from "./charge-changes.ts";
import type { ChargesDeps } from "./deps.ts";
import { Charge, CheckoutSession, ListedOption, PriceList, type ChargeRow } from "./entities.ts";
import { newCharge } from "./new-charge.ts";
import { findCharge } from "./repository.ts";
import { newSession } from "./session.ts";
import { referenceOf } from "./start-payment.ts";
import { insertTakenReceipt } from "./taken-receipt.ts";

const FIRST_CHECK_SECONDS = 1;

/** A payment that simulate_payment has succeed. */
export interface SimulatedSuccess {
  readonly payment: PaymentRow;
  readonly price: PriceValues;
  readonly link: PaymentLinkRow;
  readonly now: Date;
  readonly aftermath: Aftermath;
}

type Deps = Pick<ChargesDeps, "environments" | "providers" | "clock">;

/**
 * Returns the changes that give a simulated payment a paid charge, here and at the sandbox, which the worker asks what
 * happens to the money afterwards. A payment that its payer started has a charge already.
 */
export async function simulatedCharge(
  { environments, providers, clock }: Deps,
  { tenantId, mode }: Pick<Call, "tenantId" | "mode">,
  { payment, price, link, now, aftermath }: SimulatedSuccess,
): Promise<Change[]> {
  const { simulator } = await providers[mode].offered({ tenantId, mode });
  if (!simulator)
    throw new PaylinkError("not_available_in_live", "Only payments of test mode are simulated.");
  const isCard = payment.method === "card";
  const started = await findCharge(environments[mode], tenantId, { paymentId: payment.id });
  const session = newSession(link, newId("prl"), now);
  const charge =
    started ??
    newCharge({
      tenantId,
      paymentId: payment.id,
      sessionId: session.id,
      number: 1,
      reference: referenceOf(payment),
      cardStyle: isCard ? "token" : null,
      createdAt: now,
      expiresAt: now,
      checkAt: now,
    });
  const { receipt, changes: atSandbox } = await simulator.pay({
    reference: charge.reference,
    amountMinor: price.payerTotalMinor,
    installments: price.installments,
    aftermath,
    paidAt: now,
  });
  const { providerPaymentId, paidAt } = receipt;
  const paid: Partial<ChargeRow> = {
    providerPaymentId,
    paidAt,
    cardTokenHash: null,
    settlementCheckAt: isCard ? now : null,
    // There is more to come: the charge is not closed by its money.
    isOpen: true,
    checkAt: dueAfter(clock, FIRST_CHECK_SECONDS),
  };
  const list = { tenantId, id: session.priceListId, linkId: link.id, fingerprint: null, createdAt: now };
  const kept = started
    ? [markSessionPaid(charge), updateCharge(charge, paid)]
    : [
        insert(PriceList, list),
        insert(ListedOption, { tenantId, priceListId: list.id, number: 1, priceId: price.id }),
        insert(CheckoutSession, { ...session, paymentCount: 1, paidPaymentId: payment.id, expiresAt: now }),
        insert(Charge, { ...charge, ...paid }),
        insertIdOwner(charge.reference, tenantId, mode),
      ];
  return [...atSandbox, ...kept, insertTakenReceipt(payment, charge, providerPaymentId, now)];
}
