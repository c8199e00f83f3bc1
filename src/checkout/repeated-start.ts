import type { StartPaymentRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { Decision } from "../platform/write/decision.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { PayerField } from "../providers/ports.ts";
import { askedDetails } from "./asked-details.ts";
import { updateCharge } from "./charge-changes.ts";
import { readPayer, refuseCardNumbers, type Payer } from "./payer-details.ts";
import { inProgress, payerOwner, requireAcknowledged, sealedDetails, type Earlier } from "./start-payment.ts";

/**
 * Decides a start that is asked for again while its payment is under way: the same payment, if the payer confirms its
 * price once more. Details that the payer has corrected replace the earlier ones, until a card is sent to its issuer.
 * Errors: payment_in_progress on another number of installments, or on other details of a card's payment;
 * acknowledged_total_mismatch, invalid_request, card_number_refused.
 */
export async function decideAgain(
  request: StartPaymentRequest,
  earlier: Earlier,
  link: PaymentLinkRow,
  price: PriceValues,
  needed: readonly PayerField[],
  given: Payer,
  encryption: Encryption,
): Promise<Decision<Earlier>> {
  const { charge, payment } = earlier;
  if ((request.installments ?? 1) !== price.installments) throw inProgress();
  requireAcknowledged(request, price);
  refuseCardNumbers(request.payer);
  const payer = readPayer(askedDetails(link, needed), request.payer, given);
  const text = payer && JSON.stringify(payer);
  const owner = payerOwner(payment.id);
  const earlierText = charge.sealedPayer == null ? null : await encryption.decrypt(charge.sealedPayer, owner);
  if (text === earlierText) return { response: earlier, changes: [] };
  if (payment.status === "processing") throw inProgress();
  const changes = [updateCharge(charge, await sealedDetails(encryption, payment, payer))];
  return { response: earlier, changes, audit: { objectId: payment.id } };
}
