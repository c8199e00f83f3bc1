import type { CreateQuoteRequest } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { PaymentMethod as MethodEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";

type Priced = Pick<CreateQuoteRequest, "amount" | "currency" | "paymentIntentId" | "feeHandling">;

/** Requires either amount and currency, or an intent. Error: invalid_request. */
export function checkPriced({ amount, currency, paymentIntentId, feeHandling }: Priced): void {
  if (paymentIntentId === undefined) {
    if (amount === undefined) throw invalidRequest("amount", "amount is required.");
    if (currency === undefined) throw invalidRequest("currency", "currency is required.");
    return;
  }
  const message = "Give either amount and currency or payment_intent_id.";
  if (amount !== undefined) throw invalidRequest("amount", message);
  if (currency !== undefined) throw invalidRequest("currency", message);
  if (feeHandling !== undefined) {
    throw invalidRequest(
      "fee_handling",
      "fee_handling does not go with payment_intent_id, which has its own: leave it out.",
    );
  }
}

/** Refuses combinations of fields that the rules of single fields cannot express. Error: invalid_request. */
export function checkQuoteRequest(request: CreateQuoteRequest): void {
  checkPriced(request);
  const { paymentMethod, installments } = request;
  const single = paymentMethod === MethodEnum.PIX || paymentMethod === MethodEnum.TED;
  if (single && (installments ?? 1) > 1) {
    throw invalidRequest("installments", "pix and ted are paid in 1 installment: leave installments out.");
  }
}
