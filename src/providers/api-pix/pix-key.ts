import { visibleText } from "../../../contract/visible-text.ts";
import { isEmailAddress } from "../../platform/text/email-address.ts";
import { readTaxId } from "../../platform/text/tax-id.ts";

// A PIX key as the central bank's directory (DICT) has it.
const RANDOM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PHONE = /^\+55[1-9]{2}\d{8,9}$/;
const PHONE_MARKS = /[\s().\p{Pd}]/gu;
const EMAIL_CHARACTERS_MAX = 77;

/**
 * Returns a PIX key in its normal form, or null for another text: CPF or CNPJ without marks, a phone as +5511987654321, an e-mail
 * address or a random key in lower case. A phone without its country is none: 11 digits are a CPF.
 */
export function readPixKey(text: string): string | null {
  const key = visibleText(text).toLowerCase();
  if (RANDOM.test(key)) return key;
  if (key.includes("@")) return key.length <= EMAIL_CHARACTERS_MAX && isEmailAddress(key) ? key : null;
  if (!key.startsWith("+")) return readTaxId(key);
  const phone = key.replaceAll(PHONE_MARKS, "");
  return PHONE.test(phone) ? phone : null;
}

/** Returns true if two texts are one key, in whatever form each one is. Here a phone may be without its country. */
export function isSameKey(one: string, other: string): boolean {
  return one === other || normal(one) === normal(other);
}

function normal(text: string): string {
  return readPixKey(text) ?? readPixKey(`+${text}`) ?? readPixKey(`+55${text}`) ?? text.toLowerCase();
}
