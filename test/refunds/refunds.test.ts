import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { entriesOf, checkLedger, written } from "../ledger/book-keeper.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const DAY_SECONDS = 86_400;

const service = await forFile(startService());
const merchant = await createMerchant(service);

const paidByPix = async (link: object = {}, of: Merchant = merchant): Promise<string> =>
  await new Payer(service, await of.newLink(link)).payByPix();
const refund = async (id: string, body: object = {}, of: Merchant = merchant) =>
  await of.api.post(`/v1/payments/${id}/refunds`, body);
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;
const typesOf = async (objectId: string, of: Merchant = merchant) =>
  (await of.webhooks.listEvents({ objectId }, of.as)).events.map(({ type }) => type);
const expectClean = async () => expect((await checkLedger(service)).problems).toEqual([]);

describe("a refund of a payment", () => {
  test("in part, then of the rest, gives back the whole and tells each", async () => {
    const id = await paidByPix({ reference: "order-1" });
    const before = await merchant.api.get(`/v1/payments/${id}`);
    expect(before.text).not.toContain("refunded_amount");
    const first = await refund(id, { amount: 5000, reason: "Out of stock" });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ref_/),
        payment_id: id,
        amount: 5000,
        currency: "BRL",
        status: "succeeded",
        reason: "Out of stock",
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ]);
    expect(await paymentOf(id)).toMatchObject({ status: "succeeded", refunded_amount: 5000 });
    const rest = await refund(id);
    expect(rest.body).toMatchObject({ amount: 10_990, status: "succeeded", reason: null });
    expect(await paymentOf(id)).toMatchObject({ ...before.body, refunded_amount: 15_990, updated_at: expect.any(Number) });
    const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
    expect(body).toEqual({ data: [rest.body, first.body], has_more: false, next_cursor: null });
    expect(await typesOf(id)).toEqual(["refund.succeeded", "refund.succeeded", "payment.succeeded"]);
    const { events } = await merchant.webhooks.listEvents({ objectId: id, limit: 1 }, merchant.as);
    expect(JSON.parse(new TextDecoder().decode(events[0]?.body))).toMatchObject({
      type: "refund.succeeded",
      reference: "order-1",
      data: { payment: { id, refunded_amount: 15_990 }, refund: rest.body },
    });
    const entries = await entriesOf(merchant, id);
    expect(entries.map(({ sourceId }) => sourceId)).toEqual([undefined, first.body.id, rest.body.id]);
    expect(written(entries[1] as (typeof entries)[number])).toEqual([
      "merchant_available:BRL Dr 5000",
      "provider_clearing:BRL Cr 5000",
    ]);
    await expectClean();
  });

  test("of a simulated payment and of a card's needs no provider's answer to come later", async () => {
    const simulated = (await merchant.pay()).body.id;
    expect((await refund(simulated)).body).toMatchObject({ amount: 15_990, status: "succeeded" });
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    const { paymentId } = await payer.card();
    expect((await refund(paymentId, { amount: 1 })).body).toMatchObject({ amount: 1, status: "succeeded" });
    await expectClean();
  });
});
