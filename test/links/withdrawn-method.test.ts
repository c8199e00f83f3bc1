import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import type { CheckoutSession } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const { PIX, CARD } = PaymentMethod;
const UNSUPPORTED = { code: "payment_method_unsupported", param: "payment_method" };

const service = await forFile(startService());
const identity = createClient(IdentityService, service.core.transport);
const pricing = createClient(PricingService, service.core.transport);

let merchant: Merchant;
beforeEach(async () => {
  merchant = await createMerchant(service);
});

const setMethods = async (...values: string[]) =>
  await identity.updateTenant({ tenantId: merchant.tenant.id, paymentMethods: { values } }, service.internal);
const setInstallments = async (count: number) => {
  const surchargePpm = Array.from({ length: count }, (_, index) => (index === 0 ? 0n : 10_000n));
  const rule = { paymentMethod: CARD, currency: "BRL", percentPpm: 39_900n, fixed: 40n, min: 100n };
  const put = { tenantId: merchant.tenant.id, mode: Mode.TEST, ...rule, surchargePpm };
  return await pricing.putPricingRule(put, service.internal);
};
const quote = async (more: object = {}): Promise<string> =>
  (
    await merchant.api.post("/v1/quotes", {
      amount: 15_990,
      currency: "BRL",
      payment_method: "card",
      installments: 3,
      ...more,
    })
  ).body.id;
const accept = async (id: string, more: object = {}) =>
  await merchant.api.post(`/v1/quotes/${id}/accept`, { name: "Shoes", ...more });
const optionsOf = ({ options }: CheckoutSession) =>
  options.map(({ paymentMethod, installments }) => [paymentMethod, installments]);

describe("a method that the tenant has no more", () => {
  test("is in no new session of an old link, nor on its page; the link itself reads as before", async () => {
    const id = await merchant.newLink({ campaign: true, max_installments: 3 });
    const before = await merchant.links.getPaymentLink({ id }, merchant.as);
    await setMethods("pix");
    const payer = new Payer(service, id);
    expect((await payer.page()).paymentMethods).toEqual([PIX]);
    expect(optionsOf(await payer.open())).toEqual([[PIX, 1]]);
    expect(await codeOf(payer.card())).toBe("payment_method_unsupported");
    expect(await merchant.links.getPaymentLink({ id }, merchant.as)).toEqual(before);
    await setMethods("pix", "card");
    expect(optionsOf(await payer.open())).toHaveLength(4);
  });

  test("opens no session of a link that has no other, made directly or from a quote", async () => {
    const ids = [await merchant.newLink({ payment_methods: ["card"] })];
    for (const more of [{}, { campaign: true }]) ids.push((await accept(await quote(), more)).body.id);
    await setMethods("pix");
    for (const id of ids) {
      const payer = new Payer(service, id);
      expect((await payer.page()).paymentMethods).toEqual([]);
      expect(await codeOf(payer.open())).toBe("payment_method_unsupported");
    }
  });

  test("is still paid by at the price that an open session shows", async () => {
    const payer = new Payer(service, await merchant.newLink({ max_installments: 3 }));
    await payer.open();
    await setMethods("pix");
    const { paymentId } = await payer.card("tok_approved", 3);
    expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body).toMatchObject({
      status: "succeeded",
      installments: 3,
    });
  });

  test("has no quote accepted: it stays as it was, and can be accepted when the method is back", async () => {
    const id = await quote();
    await setMethods("pix");
    for (const more of [{}, { campaign: true }]) expectError(await accept(id, more), UNSUPPORTED);
    await setMethods("pix", "card");
    expect((await accept(id)).status).toBe(201);
    await setMethods("pix");
    expectError(await accept(id), { code: "quote_consumed" });
  });

  test("has no payment simulated on an old link, but the one that its payer has started", async () => {
    const [fresh, started] = [await merchant.newLink(), await merchant.newLink()];
    const quoted = (await accept(await quote())).body.id;
    const payer = new Payer(service, started);
    await payer.open();
    const { paymentId } = await payer.card("tok_challenge");
    await setMethods("pix");
    for (const id of [fresh, quoted]) {
      expectError(await merchant.simulate(id, { payment_method: "card" }), UNSUPPORTED);
    }
    expect((await merchant.simulate(fresh)).status).toBe(200);
    const { body } = await merchant.simulate(started, { payment_method: "card" });
    expect(body).toMatchObject({ id: paymentId, status: "succeeded" });
  });
});

describe("a card rule with fewer installments than an old link", () => {
  test("leaves its other options in a new session", async () => {
    const payer = new Payer(service, await merchant.newLink({ max_installments: 12 }));
    await setInstallments(6);
    expect(optionsOf(await payer.open())).toEqual([[PIX, 1], ...[1, 2, 3, 4, 5, 6].map((of) => [CARD, of])]);
  });

  test("refuses a session of a campaign whose quote has more", async () => {
    const { body } = await accept(await quote({ installments: 7 }), { campaign: true });
    const payer = new Payer(service, body.id);
    expect(optionsOf(await payer.open())).toEqual([[CARD, 7]]);
    await setInstallments(6);
    expect(await codeOf(payer.open())).toBe("payment_method_unsupported");
    expectError(await merchant.simulate(body.id, { payment_method: "card" }), UNSUPPORTED);
  });
});
