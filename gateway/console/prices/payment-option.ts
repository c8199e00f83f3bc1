import { wordsOf } from "../../../contract/enum-words.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { methodText } from "../parts/show.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./messages.ts";

/** Returns a payment option in words: "Credit card 3x". */
export function optionText(guest: Guest, method: PaymentMethod, installments: number): string {
  const name = methodText(guest, method);
  return method === PaymentMethod.CARD
    ? `${name} ${messagesIn(guest.language)("times", { n: installments })}`
    : name;
}

/** Returns the stored installments in words, or "" for a single payment. */
export function installmentsText(
  { format, language }: Guest,
  installments: number,
  firstInstallment: bigint,
  otherInstallment: bigint,
  currency: string,
): string {
  const t = messagesIn(language);
  if (installments === 1) return "";
  const other = format.money(otherInstallment, currency);
  if (firstInstallment === otherInstallment) return t("equal", { n: installments, other });
  return t("first_and_others", {
    first: format.money(firstInstallment, currency),
    n: installments - 1,
    other,
  });
}

const methods = wordsOf(PaymentMethod);

/** Returns the method for a form's word, or undefined. */
export const methodOf = methods.numberOf;

/** Returns a form's word for the method. */
export function methodWord(method: PaymentMethod): string {
  return methods.wordOf(method) ?? "";
}
