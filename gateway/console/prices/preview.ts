import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  FeeHandling,
  PreviewPricesRequestSchema,
  type GetRateStandingResponse,
  type PreviewPricesResponse,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOf, currencyOf } from "../fields/amount.ts";
import type { Typed } from "../fields/typed.ts";
import { limitOf } from "../form/limits.ts";
import { codeOf, problemsOf, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** The most installments of any price. */
export const INSTALLMENTS_MAX = limitOf(PreviewPricesRequestSchema.field.maxInstallments, "max");

/** Current prices, or the problems that prevent them. */
export interface Preview {
  readonly prices?: PreviewPricesResponse;
  readonly problems?: Problems;
  /** What is known of the rate, if something is converted. */
  readonly standing?: GetRateStandingResponse | undefined;
}

const NO_RATE = "quote_fx_required";

type Request = MessageInitShape<typeof PreviewPricesRequestSchema>;

/** Returns the core's prices for the fields filled in so far, or undefined while no amount is typed. */
export async function previewOf(visit: Visit, typed: Typed, more: Request): Promise<Preview | undefined> {
  const intent = typed.text("payment_intent_id");
  if (intent === "" && typed.text("amount") === "") return undefined;
  try {
    const priced: Request =
      intent === ""
        ? { amount: amountOf(visit, typed), currency: currencyOf(typed), ...feeHandlingOf(typed) }
        : { paymentIntentId: intent };
    const prices = await visit.core.pricing.previewPrices({ ...more, ...priced }, visit.as);
    return { prices, standing: prices.rateMicros === undefined ? undefined : await standingOf(visit) };
  } catch (error) {
    const problems = problemsOf(error, visit.t);
    if (!problems) throw error;
    return { problems, standing: codeOf(error) === NO_RATE ? await standingOf(visit) : undefined };
  }
}

async function standingOf({ core, as }: Visit): Promise<GetRateStandingResponse> {
  return await core.pricing.getRateStanding({}, as);
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
