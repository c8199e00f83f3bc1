import { describe, expect, test } from "vitest";
import { wordsOf } from "../../contract/enum-words.ts";
import { DeclineCode } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { CardBrand } from "../../src/providers/card-brand.ts";
import type { Decline } from "../../src/providers/decline.ts";
import { ownDecline } from "../../src/providers/decline-code.ts";
import { meaningOf } from "../../src/providers/registry.ts";

const abecs = (code: string, brand: CardBrand | null = "visa") => meaningOf({ source: "abecs", brand, code });

test("a decline is one of the nine codes of the contract", () => {
  expect(wordsOf(DeclineCode).all.toSorted()).toEqual([
    "authentication_failed",
    "card_declined",
    "card_not_supported",
    "expired_card",
    "insufficient_funds",
    "invalid_card",
    "payment_declined",
    "pix_expired",
    "pix_rejected",
  ]);
});

describe("an issuer's code means by its brand", () => {
  test.each([
    ["12", "visa", "invalid_card", false],
    ["63", "elo", "invalid_card", false],
    ["65", "visa", "insufficient_funds", true],
    ["65", "mastercard", "authentication_failed", true],
    ["56", "visa", "invalid_card", false],
    ["78", "elo", "card_declined", true],
    ["46", "visa", "card_declined", false],
    ["AB", "mastercard", "card_not_supported", false],
    ["AC", "mastercard", "card_not_supported", false],
    ["13", "visa", "payment_declined", false],
    ["19", "visa", "payment_declined", true],
    ["19", "elo", "payment_declined", false],
    ["30", "visa", "payment_declined", false],
    ["91", "visa", "payment_declined", true],
    ["96", null, "payment_declined", true],
    ["04", "elo", "card_declined", true],
    ["04", "visa", "card_declined", false],
    ["5", "visa", "card_declined", true],
    ["ab", null, "card_not_supported", false],
    ["100", "amex", "card_declined", true],
    ["116", "amex", "insufficient_funds", true],
    ["51", "amex", "payment_declined", true],
    ["116", "visa", "payment_declined", true],
    ["toString", null, "payment_declined", true],
  ] as const)("%s of %s is %s, and may be tried again: %s", (code, brand, means, isReversible) => {
    expect(abecs(code, brand)).toMatchObject({ code: means, isReversible });
  });

  test("and a refused number of installments is our fault", () => {
    const faults = [abecs("23"), abecs("115", "amex"), abecs("05")].map((one) => one.isOurFault ?? false);
    expect(faults).toEqual([true, true, false]);
  });

  test("and a review that ends without an approval declines the card at each provider, but not for good", () => {
    const review = meaningOf(ownDecline("risk_refused"));
    expect(review).toEqual({ code: "card_declined", isReversible: true });
  });

  test("while one source's codes are not another's", () => {
    const of = (source: Decline["source"], code: string) => meaningOf({ source, brand: null, code }).code;
    expect([of("pix", "AM04"), of("abecs", "AM04"), of("own", "removed"), of("sandbox", "51")]).toEqual([
      "insufficient_funds",
      "payment_declined",
      "pix_rejected",
      "insufficient_funds",
    ]);
  });
});
