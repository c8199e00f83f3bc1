import type { CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethodSchema, type PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";

/** In the place of a key: a card, whose installments are still to be chosen. */
export const CARD_CHOICE = "card";

/** Returns the key of a payment option in a form and a page's address, such as "card-3". The field is named `way`. */
export function optionKey({ paymentMethod, installments }: CheckoutOption): string {
  return methodKey(paymentMethod, installments);
}

/** Returns the key of a method with its number of installments. */
export function methodKey(method: PaymentMethod, installments: number): string {
  return `${enumWords(PaymentMethodSchema).wordOf.get(method)}-${installments}`;
}

const KEY = /^([a-z]+)-(\d{1,2})$/;

/** Returns the payment option of a key, or undefined if it is the key of none. */
export function readOption(
  key: string | undefined,
): Pick<CheckoutOption, "paymentMethod" | "installments"> | undefined {
  const [, word = "", installments] = KEY.exec(key ?? "") ?? [];
  const paymentMethod = enumWords(PaymentMethodSchema).numberOf.get(word) as PaymentMethod | undefined;
  return paymentMethod === undefined ? undefined : { paymentMethod, installments: Number(installments) };
}

/** Returns the option of the key. Without a key: the only option, or undefined if there are several. */
export function optionOf(
  options: readonly CheckoutOption[],
  key: string | undefined,
): CheckoutOption | undefined {
  if (key === undefined) return options.length === 1 ? options[0] : undefined;
  return options.find((option) => optionKey(option) === key);
}
