import { describe, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { configAt, connectCards, pass, PERSON, startCards } from "./card-merchant.ts";
import { MoneyBack } from "./money-back.ts";
import { PaidCard } from "./paid-card.ts";
import { connectPagarme, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

describe("ids of Asaas in another form than today's", async () => {
  const cards = await forFile(startCards());
  const { asaas, service, providers } = cards;
  // Neither form says of what an id is: a plan's begins as payments' did.
  asaas.ids.form = (of, usual) => (of === "payment" ? `c9/${usual.slice(4)}` : `pay_${usual}`);
  const merchant = await connectCards(cards);
  const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
  const money = new MoneyBack(cards, merchant, rows);

  test.each([1, 3])("are taken: a card in %i is paid, settled and refunded", async (installments) => {
    const card = await PaidCard.pay(cards, merchant, installments);
    await service.core.tasks.readReceivables();
    expect(await card.receivables()).toHaveLength(installments);
    expect((await money.refund(card.id)).body).toMatchObject({ status: "succeeded", amount: 100_000 });
    expect(money.givenBack(card.reference)).toBe(100_000n);
  });

  test.each([1, 3])(
    "are taken: a card in %i that is not paid is removed at its end",
    async (installments) => {
      const { reference, paymentId } = await merchant.start(installments);
      await pass(cards, 961);
      expect(asaas.paymentsOf(reference).map(({ isDeleted }) => isDeleted)).not.toContain(false);
      asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");
      await pass(cards, 3600);
      expect(await rows.count("live.payment_exception WHERE payment_id = $1", [paymentId])).toBe(1);
    },
  );

  test("are taken: PIX is paid and refunded", async () => {
    const shop = await createMerchant(service, {}, "live");
    const account = { kind: ProviderKind.PIX, profile: "asaas", asaas: configAt(cards) };
    await providers.putProviderAccount(account, shop.as);
    const payer = new Payer(service, await shop.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    const { paymentId } = await payer.start({ payer: PERSON });
    asaas.pay(asaas.paymentsOf(referenceOf(paymentId))[0]?.id ?? "");
    await pass(cards, 31);
    const refund = await shop.api.post(`/v1/payments/${paymentId}/refunds`, { amount: 500 });
    expect(refund.body).toMatchObject({ status: "succeeded", amount: 500 });
    expect(money.givenBack(referenceOf(paymentId))).toBe(500n);
  });
});

test("ids of Pagar.me in another form than today's are taken: a card is paid, settled and refunded", async () => {
  const cards = await forFile(startPagarmeService());
  const { pagarme, service } = cards;
  pagarme.ids.form = (of, usual) => `${of.slice(0, 2)}.9${of === "token" ? ":" : "/"}${usual.split("_")[1]}`;
  const merchant = await connectPagarme(cards);
  const id = await merchant.paid(await merchant.opened(), 3);
  await service.core.tasks.readReceivables();
  const { receivables } = await merchant.ledger.listReceivables({ paymentId: id }, merchant.as);
  expect(receivables).toHaveLength(3);
  const refund = await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 500 });
  expect(refund.body).toMatchObject({ status: "succeeded", amount: 500 });
  const [charge] = pagarme.ordersOf(referenceOf(id)).flatMap(({ charges }) => charges);
  expect(charge?.canceledMinor).toBe(500n);
});
