import type { CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethodSchema } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { enumWords } from "../transcode/enum-words.ts";

/** A way to pay as a word of a page's address, such as "card-3". */
export function wayOf({ paymentMethod, installments }: CheckoutOption): string {
  return `${enumWords(PaymentMethodSchema).wordOf.get(paymentMethod)}-${installments}`;
}

/** The option of the word; without a word the only option, if there is one alone. */
export function optionOf(
  options: readonly CheckoutOption[],
  way: string | undefined,
): CheckoutOption | undefined {
  if (way === undefined) return options.length === 1 ? options[0] : undefined;
  return options.find((option) => wayOf(option) === way);
}
