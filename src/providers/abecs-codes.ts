import type { CardBrand } from "./card-brand.ts";
import type { Meaning, Meanings } from "./decline.ts";

const final = (code: Meaning["code"]): Meaning => ({ code, isReversible: false });
const mayRepeat = (code: Meaning["code"]): Meaning => ({ code, isReversible: true });
/** The number of installments was refused: an account offers more than it can charge. */
const WRONG_INSTALLMENTS: Meaning = { code: "payment_declined", isReversible: false, isOurFault: true };

/** The codes of card issuers in Brazil as ABECS has them, where the brands agree. */
export const ABECS: Meanings = {
  "03": final("card_not_supported"),
  "04": final("card_declined"),
  "05": mayRepeat("card_declined"),
  "06": mayRepeat("card_declined"),
  "07": final("card_declined"),
  "12": final("invalid_card"),
  "13": final("payment_declined"),
  "14": final("invalid_card"),
  "15": final("invalid_card"),
  "19": mayRepeat("payment_declined"),
  "23": WRONG_INSTALLMENTS,
  "30": final("payment_declined"),
  "38": mayRepeat("card_declined"),
  "39": final("card_not_supported"),
  "41": final("card_declined"),
  "43": final("card_declined"),
  "46": final("card_declined"),
  "51": mayRepeat("insufficient_funds"),
  "52": final("card_not_supported"),
  "53": final("card_not_supported"),
  "54": final("expired_card"),
  "55": mayRepeat("card_declined"),
  "56": final("invalid_card"),
  "57": final("card_not_supported"),
  "58": final("card_not_supported"),
  "59": mayRepeat("card_declined"),
  "61": mayRepeat("insufficient_funds"),
  "62": mayRepeat("card_declined"),
  "63": final("invalid_card"),
  "64": final("payment_declined"),
  "65": mayRepeat("insufficient_funds"),
  "75": mayRepeat("card_declined"),
  "76": final("invalid_card"),
  "77": final("invalid_card"),
  "78": mayRepeat("card_declined"),
  "82": final("invalid_card"),
  "83": final("card_declined"),
  "91": mayRepeat("payment_declined"),
  "96": mayRepeat("payment_declined"),
  "1A": mayRepeat("authentication_failed"),
  AB: final("card_not_supported"),
  AC: final("card_not_supported"),
  N7: final("invalid_card"),
  R0: final("card_declined"),
  R1: final("card_declined"),
  R3: final("card_declined"),
};

/** What a brand means otherwise. Those of American Express are all of its codes. */
export const ABECS_OF_BRAND: Readonly<Partial<Record<CardBrand, Meanings>>> = {
  elo: { "04": mayRepeat("card_declined"), "19": final("payment_declined") },
  mastercard: { "65": mayRepeat("authentication_failed") },
  hipercard: { "65": mayRepeat("authentication_failed") },
  amex: {
    "100": mayRepeat("card_declined"),
    "101": final("expired_card"),
    "106": mayRepeat("card_declined"),
    "109": final("card_not_supported"),
    "110": final("payment_declined"),
    "111": final("invalid_card"),
    "115": WRONG_INSTALLMENTS,
    "116": mayRepeat("insufficient_funds"),
    "117": mayRepeat("card_declined"),
    "119": final("card_not_supported"),
    "121": mayRepeat("insufficient_funds"),
    "122": final("invalid_card"),
    "180": final("invalid_card"),
    "181": final("payment_declined"),
    "200": final("card_declined"),
    "911": mayRepeat("payment_declined"),
    "912": mayRepeat("payment_declined"),
  },
};
