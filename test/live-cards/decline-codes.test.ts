import { describe, expect, test } from "vitest";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { CardBrand, Decline } from "../../src/providers/decline.ts";
import { meaningOf, ownDecline } from "../../src/providers/decline-code.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

const abecs = (code: string, brand: CardBrand | null = "visa") => meaningOf({ source: "abecs", brand, code });

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

describe("a card that its issuer refused for good", () => {
  const cardOf = async (token: string) => {
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    await payer.card(token);
    return payer;
  };

  test("is not sent again, and another one is", async () => {
    const payer = await cardOf("tok_expired_card");
    expect(await refusalOf(payer.card("tok_expired_card"))).toMatchObject({
      code: "card_refused_for_good",
      param: "card_token",
    });
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.FAILED);
    await payer.card("tok_approved");
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test("is known by its token's hash alone, which no other payment keeps", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const read = async () =>
      await rows.read(
        "SELECT card_token_hash AS hash FROM test.charge ORDER BY created_at DESC, payment_id DESC LIMIT 1",
      );
    await cardOf("tok_expired_card");
    expect(await read()).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    for (const token of ["tok_insufficient_funds", "tok_approved"]) {
      await cardOf(token);
      expect(await read()).toEqual([{ hash: null }]);
    }
    await rows.close();
  });

  test("may be tried again if only this payment was refused", async () => {
    const payer = await cardOf("tok_insufficient_funds");
    const first = (await payer.session()).payment?.id;
    const { paymentId } = await payer.card("tok_insufficient_funds");
    expect(paymentId).not.toBe(first);
  });
});
