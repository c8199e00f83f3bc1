import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

async function opened(link: object): Promise<Payer> {
  const payer = new Payer(service, await merchant.newLink(link));
  await payer.open();
  return payer;
}

describe("a start that is asked for again while its payment is under way", () => {
  test("with another number of installments is refused, and so is another total", async () => {
    const payer = await opened({ amount: 100_000, fee_handling: "pass_through" });
    const { options } = await payer.session();
    const total = (installments: number): bigint =>
      options.find((one) => one.installments === installments && one.payerTotal !== options[0]?.payerTotal)
        ?.payerTotal ?? 0n;
    const card = (installments: number, acknowledgedTotal: bigint) =>
      payer.card("tok_challenge", installments, { acknowledgedTotal });
    const first = await card(3, total(3));
    expect(await refusalOf(card(6, total(6)))).toMatchObject({ code: "payment_in_progress" });
    expect(await refusalOf(card(3, 1n))).toMatchObject({ code: "acknowledged_total_mismatch" });
    expect((await card(3, total(3))).paymentId).toBe(first.paymentId);
    await payer.simulate(SandboxAction.APPROVE);
    const { body } = await merchant.api.get(`/v1/payments/${first.paymentId}`);
    expect(body).toMatchObject({ status: "succeeded", installments: 3, gross_amount: Number(total(3)) });
  });

  test("with corrected details keeps the corrected ones", async () => {
    const payer = await opened({ collect_fields: ["phone"] });
    const { paymentId } = await payer.start({ payer: { phone: "11 91234-5678" } });
    const again = await payer.start({ payer: { phone: "21 99876-5432" } });
    expect(again.paymentId).toBe(paymentId);
    const { payer: details } = await payer.client.getPayerDetails({ paymentId }, merchant.as);
    expect(details?.phone).toBe("+5521998765432");
  });

  test.each([
    ["a card number", "4111 1111 1111 1111", "card_number_refused"],
    ["no phone number", "x", "invalid_request"],
  ])("with %s as a phone is refused", async (_, phone, code) => {
    const payer = await opened({ collect_fields: ["phone"] });
    await payer.start({ payer: { phone: "11 91234-5678" } });
    expect(await refusalOf(payer.start({ payer: { phone } }))).toMatchObject({ code, param: "phone" });
  });

  test("with other details while a card's issuer decides is refused", async () => {
    const payer = await opened({ collect_fields: ["phone"] });
    const card = (phone: string) => payer.card("tok_challenge", 1, { payer: { phone } });
    const { paymentId } = await card("11 91234-5678");
    expect(await refusalOf(card("21 99876-5432"))).toMatchObject({ code: "payment_in_progress" });
    expect((await card("11 91234-5678")).paymentId).toBe(paymentId);
  });
});
