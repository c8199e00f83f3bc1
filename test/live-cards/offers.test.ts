import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { isReplay } from "../support/replays.ts";
import { API_KEY, connectCards, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const CARD = { amount: 100_000, currency: "BRL", payment_methods: ["card"] };

const QUOTE = { amount: 100_000, currency: "BRL", payment_method: "card", installments: 3 };

describe("a live link that no account can charge yet", () => {
  test("is made, and its answer says what to connect; replayed after that it has the same bytes", async () => {
    const merchant = await createMerchant(cards.service, { paymentMethods: ["pix", "card", "ted"] }, "live");
    const { api } = merchant;
    const post = async (methods: string[], idempotencyKey?: string) =>
      await api.post(
        "/v1/payment_links",
        { ...CARD, payment_methods: methods },
        { idempotencyKey: idempotencyKey ?? randomUUID() },
      );
    const byCard = await post(["card"], "by card");
    expect(byCard.status).toBe(201);
    expect(byCard.body.not_payable_reason).toMatch(
      /^No payer can pay this link yet: connect an account for card /,
    );
    expect((await post(["pix"])).body.not_payable_reason).toContain("connect an account for pix ");
    const byEither = await post(["pix", "card"]);
    expect([byEither.status, byEither.body.not_payable_reason]).toEqual([
      201,
      expect.stringContaining("connect an account for pix or card "),
    ]);
    await connectCards(cards, API_KEY, {}, merchant);
    const again = await post(["card"], "by card");
    expect([isReplay(again), again.text]).toEqual([true, byCard.text]);
    for (const methods of [["card"], ["pix", "card"]]) {
      expect((await post(methods)).body).not.toHaveProperty("not_payable_reason");
    }
    expect((await post(["pix"])).body.not_payable_reason).toContain("connect an account for pix ");
    const { options } = await new Payer(cards.service, byCard.body.id).open();
    expect(options).toHaveLength(12);
  });

  test("is made of a quote, too, and its answer says so; of a bank transfer, that live mode takes none yet", async () => {
    const merchant = await createMerchant(cards.service, { paymentMethods: ["pix", "card", "ted"] }, "live");
    const { api } = merchant;
    const accepted = async (quote: object) => {
      const { body } = await api.post("/v1/quotes", quote);
      return await api.post(`/v1/quotes/${body.id}/accept`, { name: "Boat" });
    };
    const { status, body } = await accepted(QUOTE);
    expect([status, body.payment_method, body.installments]).toEqual([201, "card", 3]);
    expect(body.not_payable_reason).toContain("connect an account for card ");
    const byTransfer = await accepted({ ...CARD, payment_methods: undefined, payment_method: "ted" });
    expect(byTransfer.body.not_payable_reason).toContain("live mode takes no bank transfers yet");
    await connectCards(cards, API_KEY, {}, merchant);
    expect((await accepted(QUOTE)).body).not.toHaveProperty("not_payable_reason");
  });

  test("is none by a method that the merchant does not have, nor in test mode", async () => {
    const { api } = await createMerchant(cards.service, { paymentMethods: ["pix"] }, "live");
    const refused = await api.post("/v1/payment_links", CARD);
    expect(refused.body.error).toMatchObject({
      code: "payment_method_unsupported",
      param: "payment_methods",
    });
    const tested = await createMerchant(cards.service);
    const { status, body } = await tested.api.post("/v1/payment_links", CARD);
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("not_payable_reason");
  });
});

describe("a live link by card alone", () => {
  test("is made with a card account, and offers no installment below its least amount", async () => {
    const merchant = await connectCards(cards);
    const { payer } = await merchant.start(1, { amount: 3000 });
    const offered = (await payer.session()).options.map(({ installments }) => installments);
    expect(offered).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await payer.page()).cardSetup).toMatchObject({
      maxInstallments: 21,
      maxInstallmentsOfOthers: 12,
    });
  });

  test("is quoted as far as the account can charge it, also for each payment option at once", async () => {
    const { api } = await connectCards(cards);
    const amount = { amount: 3000, currency: "BRL" };
    const { body } = await api.post("/v1/quotes", amount);
    expect(body.scenarios.card.map(({ installments }: { installments: number }) => installments)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
    const card = { ...amount, payment_method: "card" };
    expect((await api.post("/v1/quotes", { ...card, installments: 6 })).status).toBe(201);
    const refused = await api.post("/v1/quotes", { ...card, installments: 7 });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ code: "invalid_request", param: "installments" });
    expect((await api.post("/v1/quotes", card)).body.installments).toBe(6);
    const tooSmall = await api.post("/v1/quotes", { ...card, amount: 400 });
    expect(tooSmall.body.error).toMatchObject({ code: "invalid_request", param: "amount" });
  });
});
