import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DeclineCode, PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { paidAtProvider } from "./paid-at-provider.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

const newPayer = async (link: object = {}, of = merchant) => new Payer(service, await of.newLink(link));
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;

describe("cards", () => {
  test.each([1, 12])("approved in %i installments", async (installments) => {
    const payer = await newPayer({ amount: 100_000 });
    const session = await payer.open();
    const { paymentId } = await payer.card("tok_approved", installments);
    const option = session.options.find(
      (one) => one.paymentMethod === PaymentMethod.CARD && one.installments === installments,
    );
    expect(await paymentOf(paymentId)).toMatchObject({
      status: "succeeded",
      installments,
      amount: Number(option?.payerTotal),
    });
  });

  test.each([
    ["tok_insufficient_funds", DeclineCode.INSUFFICIENT_FUNDS],
    ["tok_card_declined", DeclineCode.CARD_DECLINED],
    ["tok_expired_card", DeclineCode.EXPIRED_CARD],
    ["tok_invalid_card", DeclineCode.INVALID_CARD],
    ["tok_card_not_supported", DeclineCode.CARD_NOT_SUPPORTED],
    ["tok_authentication_failed", DeclineCode.AUTHENTICATION_FAILED],
    ["tok_payment_declined", DeclineCode.PAYMENT_DECLINED],
    ["tok_never_heard_of", DeclineCode.INVALID_CARD],
  ])("%s is declined, and another card is taken", async (token, failureCode) => {
    const payer = await newPayer();
    await payer.open();
    await payer.card(token);
    expect((await payer.session()).payment).toMatchObject({ status: PaymentStatus.FAILED, failureCode });
    await payer.card();
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test.each([
    [SandboxAction.APPROVE, PaymentStatus.SUCCEEDED, undefined],
    [SandboxAction.DECLINE, PaymentStatus.FAILED, DeclineCode.AUTHENTICATION_FAILED],
    [SandboxAction.EXPIRE, PaymentStatus.FAILED, DeclineCode.AUTHENTICATION_FAILED],
  ])("a challenge that ends with %i", async (action, status, failureCode) => {
    const payer = await newPayer();
    await payer.open();
    const { challengeUrl } = await payer.card("tok_challenge");
    expect(challengeUrl).toMatch(new RegExp(`/pay/pl_.*/${payer.sessionId}/challenge$`));
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.PROCESSING);
    await expect(payer.start()).rejects.toThrow("under way");
    await payer.simulate(action);
    expect((await payer.session()).payment?.status).toBe(status);
    expect((await payer.session()).payment?.failureCode).toBe(failureCode);
  });

  test("authorised at the provider by a process that died before it wrote that down: found by the worker", async () => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.card("tok_challenge");
    await paidAtProvider(service, paymentId);
    service.clock.advance(31);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(paymentId)).status).toBe("succeeded");
  });

  test("unknown to the provider: the payment fails after two minutes, and another card is taken", async () => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.card("tok_challenge");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.run("DELETE FROM test.sandbox_charge WHERE reference = $1", [paymentId.replace("_", "")]);
    await rows.run("UPDATE test.charge SET challenge_url = NULL WHERE payment_id = $1", [paymentId]);
    await rows.close();
    for (const seconds of [100, 60]) {
      service.clock.advance(seconds);
      await service.core.tasks.checkCharges();
    }
    expect(await paymentOf(paymentId)).toMatchObject({ status: "failed", failure_code: "payment_declined" });
    await payer.card();
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test.each([13, 21])("a quote of %i installments is offered and paid in as many", async (installments) => {
    const quote = { amount: 500_000, currency: "BRL", payment_method: "card", installments };
    const { body } = await merchant.api.post("/v1/quotes", quote);
    const accepted = await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Boat" });
    const payer = new Payer(service, accepted.body.id);
    expect((await payer.open()).options).toMatchObject([{ installments }]);
    const { paymentId } = await payer.card("tok_approved", installments);
    expect(await paymentOf(paymentId)).toMatchObject({ status: "succeeded", installments });
  });

  test.each(["4111111111111111", "4111 1111 1111 1111", "my card 5555-5555-5555-4444!"])(
    "something like a card number (%s) is refused and kept nowhere",
    async (cardToken) => {
      const payer = await newPayer();
      await payer.open();
      await expect(payer.card(cardToken)).rejects.toThrow("Card numbers are not taken here");
      expect((await payer.session()).payment).toBeUndefined();
    },
  );
});
