import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Checkout, CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";

/** The prices on a link's first page. */
export interface ShownPrices {
  readonly options: readonly CheckoutOption[];
  /** The public rate, BRL for one USD, in micros; undefined: nothing is converted. */
  readonly rateMicros: bigint | undefined;
  /** The time of the rate. */
  readonly at: Timestamp | undefined;
  /** Goes with the form: a session with other prices is not opened. */
  readonly version: string;
}

/** Returns the locked prices of the payer's own session if the checkout has one, else those of this moment. */
export function shownPrices({ session, currentPrices, now }: Checkout): ShownPrices | undefined {
  if (session) {
    const { options, fx, pricesVersion: version } = session;
    return { options, rateMicros: fx?.rate, at: fx?.lockedAt, version };
  }
  return currentPrices && { ...currentPrices, rateMicros: currentPrices.rateMicros, at: now };
}

/** Returns whether the option costs what the merchant asks for the product, in its currency. */
export function isProductPrice(
  { amount, currency }: Checkout,
  { payerTotal, payerCurrency }: CheckoutOption,
): boolean {
  return payerTotal === amount && payerCurrency === currency;
}
