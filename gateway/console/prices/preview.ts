import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  FeeHandling,
  PreviewPricesRequestSchema,
  type PreviewPricesResponse,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOf, currencyOf } from "../fields/amount.ts";
import type { Typed } from "../fields/typed.ts";
import { limitOf } from "../form/limits.ts";
import { problemsOf, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** The most installments of any price. */
export const INSTALLMENTS_MAX = limitOf(PreviewPricesRequestSchema.field.maxInstallments, "max");

/** Current prices, or the problems that prevent them; undefined while no amount is typed. */
export type Preview = PreviewPricesResponse | { readonly problems: Problems } | undefined;

type Request = MessageInitShape<typeof PreviewPricesRequestSchema>;

/** Returns the core's prices for the fields filled in so far. */
export async function previewOf(visit: Visit, typed: Typed, more: Request): Promise<Preview> {
  const intent = typed.text("payment_intent_id");
  if (intent === "" && typed.text("amount") === "") return undefined;
  try {
    const priced: Request =
      intent === ""
        ? { amount: amountOf(visit, typed), currency: currencyOf(typed), ...feeHandlingOf(typed) }
        : { paymentIntentId: intent };
    return await visit.core.pricing.previewPrices({ ...more, ...priced }, visit.as);
  } catch (error) {
    const problems = problemsOf(error, visit.t);
    if (!problems) throw error;
    return { problems };
  }
}

/** Returns who pays the fees, if the form names it. */
export function feeHandlingOf(typed: Typed): { feeHandling?: FeeHandling } {
  const word = typed.text("fee_handling");
  if (word === "absorb") return { feeHandling: FeeHandling.ABSORB };
  return word === "pass_through" ? { feeHandling: FeeHandling.PASS_THROUGH } : {};
}

/** Returns the selected number of installments, or undefined if none is selected. */
export function installmentsOf(text: string): number | undefined {
  return /^[1-9]\d?$/.test(text) && Number(text) <= INSTALLMENTS_MAX ? Number(text) : undefined;
}
