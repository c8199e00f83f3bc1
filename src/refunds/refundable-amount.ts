import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetRefundableResponseSchema } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { isId } from "../../contract/ids.ts";
import { PaymentException } from "../checkout/entities.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Environment } from "../platform/db/database.ts";
import { findPrice } from "../pricing/repository.ts";
import type { RefundsDeps } from "./deps.ts";
import { paymentNotFound } from "./new-refund.ts";
import { leftOfException, leftOfPayment } from "./refundable.ts";

/** Returns what is left of a payment, or of an exception of it, and the fee that stays away. Error: payment_not_found. */
export async function refundableOf(
  { identity }: Pick<RefundsDeps, "identity">,
  { tenantId, environment }: { readonly tenantId: string; readonly environment: Environment },
  paymentId: string,
  exceptionId: string | undefined,
): Promise<MessageInitShape<typeof GetRefundableResponseSchema>> {
  const payment = isId("pay", paymentId) ? await findPayment(environment, tenantId, paymentId) : null;
  if (!payment) throw paymentNotFound();
  const price = await findPrice(environment, tenantId, payment.priceId);
  const feeCurrency = price.pricingCurrency;
  if (exceptionId !== undefined) {
    const found = { tenantId, paymentId, id: exceptionId };
    const exception = await environment.orm.em.fork().findOne(PaymentException, found);
    if (!exception) throw paymentNotFound();
    return { leftAmount: leftOfException(exception), feeCurrency };
  }
  const isPossible = payment.status === "succeeded" && payment.method !== "ted";
  const { refundFee } = (await identity.settingsOf(tenantId)).tenant;
  return {
    leftAmount: isPossible ? leftOfPayment(payment, price) : 0n,
    keptFeeAmount: refundFee === "merchant" ? price.totalFeeMinor : 0n,
    feeCurrency,
  };
}
