import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

const newPayer = async (link: object = {}, of = merchant) => new Payer(service, await of.newLink(link));
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;

describe("a session", () => {
  test("stores one price for each payment option, at one rate, for 900 seconds", async () => {
    const usd = await createMerchant(service, { payoutCurrency: "USD" });
    const payer = await newPayer({ amount: 10_000, currency: "USD", max_installments: 3 }, usd);
    const session = await payer.open();
    expect(session.isOpen).toBe(true);
    expect(session.options.map(({ paymentMethod, installments }) => [paymentMethod, installments])).toEqual([
      [PaymentMethod.PIX, 1],
      [PaymentMethod.CARD, 1],
      [PaymentMethod.CARD, 2],
      [PaymentMethod.CARD, 3],
    ]);
    const { fx, expiresAt } = session;
    expect(fx?.validUntil).toEqual(expiresAt);
    expect(expiresAt?.seconds).toBe((fx?.lockedAt?.seconds ?? 0n) + 900n);
  });

  test("never outlasts its link", async () => {
    const payer = await newPayer({ expires_in: 60 });
    const session = await payer.open();
    expect(session.expiresAt).toEqual((await payer.page()).expiresAt);
  });

  test("offers no installment under R$ 5,00", async () => {
    const payer = await newPayer({ amount: 1600, max_installments: 12 });
    const cards = (await payer.open()).options.filter(
      ({ paymentMethod }) => paymentMethod === PaymentMethod.CARD,
    );
    expect(cards.map(({ installments }) => installments)).toEqual([1, 2, 3]);
  });

  test.each([
    [5_320_198n, 5_513_582n],
    [5_467_981n, 5_550_001n],
    [5_615_764n, 5_568_718n],
  ])(
    "on an accepted quote has the quote's price, held up by the ratchet: spot %i",
    async (spotMicros, rate) => {
      const pricing = createClient(PricingService, service.core.transport);
      const publish = async (micros: bigint) =>
        await pricing.publishFxRate(
          { mode: Mode.TEST, spotMicros: micros, maxAgeSeconds: 4_000_000_000n },
          service.internal,
        );
      await publish(5_432_100n);
      const { body } = await merchant.api.post("/v1/quotes", {
        amount: 10_000,
        currency: "USD",
        payment_method: "pix",
      });
      const link = await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Shoes" });
      await publish(spotMicros);
      const session = await new Payer(service, link.body.id).open();
      await publish(5_432_100n);
      expect(session.options).toHaveLength(1);
      expect(session.fx?.rate).toBe(rate);
      if (rate === 5_513_582n) expect(session.options[0]?.payerTotal).toBe(BigInt(body.payer_total));
    },
  );

  test("past its time starts nothing; a new one does", async () => {
    const payer = await newPayer();
    await payer.open();
    service.clock.advance(900);
    await expect(payer.start()).rejects.toThrow("have ended");
    expect((await payer.session()).isOpen).toBe(false);
    await payer.open();
    expect((await payer.start()).paymentId).toMatch(/^pay_/);
  });

  test("has ten payments at most, of which the last can be paid; then a new one begins", async () => {
    const payer = await newPayer({ campaign: true });
    await payer.open();
    for (let count = 0; count < 9; count++) await payer.card("tok_card_declined");
    const { paymentId } = await payer.start();
    expect(await payer.session()).toMatchObject({ isOpen: true, payment: { id: paymentId } });
    await payer.simulate(SandboxAction.DECLINE);
    expect(await payer.session()).toMatchObject({ isOpen: false });
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const before = await rows.countAll("test");
    await expect(payer.card()).rejects.toThrow("have ended");
    expect(await rows.countAll("test")).toEqual(before);
    await rows.close();
    await payer.open();
    expect((await paymentOf((await payer.card()).paymentId)).status).toBe("succeeded");
  });

  test("of another link is unknown", async () => {
    const [one, other] = [await newPayer(), await newPayer()];
    one.sessionId = (await other.open()).id;
    await expect(one.start()).rejects.toThrow("no such checkout session");
  });

  test("of a live link is not opened: there is no provider", async () => {
    const live = await createMerchant(service, {}, "live");
    const payer = await newPayer({}, live);
    await expect(payer.open()).rejects.toMatchObject({
      rawMessage: "pix is not offered here: use another, or ask the operator for pix.",
    });
  });
});
