import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { connectCards, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const CARD = { amount: 100_000, currency: "BRL", payment_methods: ["card"] };

describe("a live link by card alone", () => {
  test("is refused when it is made, if the merchant has no card account", async () => {
    const { api } = await createMerchant(cards.service, {}, "live");
    const refused = await api.post("/v1/payment_links", CARD);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: "payment_method_unsupported",
      param: "payment_methods",
    });
    expect(refused.body.error.message).toContain("no account at a card provider");
    const mixed = await api.post("/v1/payment_links", { ...CARD, payment_methods: ["pix", "card"] });
    expect(mixed.status).toBe(201);
    const quote = { amount: 100_000, currency: "BRL", payment_method: "card", installments: 3 };
    const { status, body } = await api.post("/v1/quotes", quote);
    expect([status, body.installments]).toEqual([201, 3]);
    const accepted = await api.post(`/v1/quotes/${body.id}/accept`, { name: "Boat" });
    expect([accepted.status, accepted.body.error?.code]).toEqual([400, "payment_method_unsupported"]);
  });

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
