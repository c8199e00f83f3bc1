import type { CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethodSchema, type PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";

/** Returns the word for a way to pay in a page's address, such as "card-3". */
export function wayOf({ paymentMethod, installments }: CheckoutOption): string {
  return `${enumWords(PaymentMethodSchema).wordOf.get(paymentMethod)}-${installments}`;
}

const WAY = /^([a-z]+)-(\d{1,2})$/;

/** Returns the way to pay that a word means, or undefined if it means none. */
export function readWay(
  way: string | undefined,
): Pick<CheckoutOption, "paymentMethod" | "installments"> | undefined {
  const [, word = "", installments] = WAY.exec(way ?? "") ?? [];
  const paymentMethod = enumWords(PaymentMethodSchema).numberOf.get(word) as PaymentMethod | undefined;
  return paymentMethod === undefined ? undefined : { paymentMethod, installments: Number(installments) };
}

/** Returns the option for the word. Without a word: the only option, or undefined if there are several. */
export function optionOf(
  options: readonly CheckoutOption[],
  way: string | undefined,
): CheckoutOption | undefined {
  if (way === undefined) return options.length === 1 ? options[0] : undefined;
  return options.find((option) => wayOf(option) === way);
}
