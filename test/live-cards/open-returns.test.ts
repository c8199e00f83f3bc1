import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { MoneyBack } from "./money-back.ts";
import { callBack, connectPagarme, KEYS, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

const HOUR = 3600;

describe("a return by a provider that is under way", () => {
  test("and fails at Pagar.me without a callback frees its amount", async () => {
    const cards = await forFile(startPagarmeService());
    const { service, pagarme } = cards;
    const merchant = await connectPagarme(cards);
    const id = await merchant.paid(await merchant.opened());
    const chargeId = pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
    pagarme.refundRules.outcome = "pending";
    const authorization = `Basic ${Buffer.from(`${KEYS.secretKey}:`).toString("base64")}`;
    const atItsPage = { method: "DELETE", headers: { authorization }, body: `{"amount":30000}` };
    expect((await fetch(`${pagarme.baseUrl}/charges/${chargeId}`, atItsPage)).status).toBe(200);
    await callBack(cards, merchant, id);
    const whole = async () => await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 100_000 });
    expect((await whole()).status).toBe(400);
    pagarme.endRefund(chargeId, false);
    pagarme.refundRules.outcome = "done";
    for (let count = 0; count < 3; count++) {
      for (const { clock } of [service, pagarme]) clock.advance(HOUR);
      await service.core.tasks.checkRefunds();
    }
    expect((await whole()).body).toMatchObject({ amount: 100_000, status: "succeeded" });
    expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
  });

  test("and leaves a charge that Asaas removed, without a callback, is booked", async () => {
    const cards = await forFile(startCards());
    const { asaas } = cards;
    const merchant = await connectCards(cards);
    const rows = await forFile(new DatabaseRows(cards.service.databaseUrl).open());
    const back = new MoneyBack(cards, merchant, rows);
    const { id, reference } = await back.paid();
    const first = back.firstOf(reference);
    asaas.payment(first).isDeleted = true;
    asaas.chargeback(first);
    await back.tell(reference);
    expect(await back.goneOf(id)).toBe(0);
    asaas.moveChargeback(first, "lost");
    for (let count = 0; count < 3; count++) await back.checked(HOUR);
    expect(await back.goneOf(id)).toBe(100_000);
    expect(await back.eventsOf(id)).toEqual(["payment.succeeded", "payment.returned"]);
    expect(await back.problems()).toEqual([]);
  });
});
