import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DisputeStatus, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { DAY } from "./paid-card.ts";
import { callBack, connectPagarme, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refunds = createClient(RefundsService, service.core.transport);
const merchant = await connectPagarme(cards);

const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const disputesOf = async (paymentId: string) =>
  (await refunds.listDisputes({ paymentId }, merchant.as)).disputes;
const told = async (id: string) =>
  await rows.read(
    `SELECT type, convert_from(body, 'UTF8')::json#>>'{data,dispute,respond_by}' AS respond_by FROM live.event
      WHERE object_id = $1 AND type LIKE 'payment.disput%' ORDER BY created_at, id`,
    [id],
  );
const booked = async (id: string) =>
  await rows.count("live.ledger_entry WHERE payment_id = $1 AND kind IN ('return', 'chargeback')", [id]);

async function paid(installments = 1): Promise<string> {
  const id = await merchant.paid(await merchant.opened(), installments);
  await service.core.tasks.readReceivables();
  return id;
}

/** Pagar.me tells of a payment's dispute, and the worker follows. */
async function tell(data: object, type = "dispute.created"): Promise<void> {
  const payload = JSON.stringify({ id: crypto.randomUUID(), type, data });
  const { pathname: url } = new URL(merchant.callbackUrl);
  const headers = pagarme.signing.headers(payload);
  expect((await service.gateway.inject({ method: "POST", url, headers, payload })).statusCode).toBe(200);
  await service.core.tasks.answerCallbacks();
  await service.core.tasks.readReceivables();
}

const dayOf = (time: Date): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" }).format(time);

describe("input 7: a dispute at Pagar.me that waits for evidences until its deadline", () => {
  test.each([
    ["by its charge's id", (id: string) => ({ disputeId: 12_345, chargeId: chargeOf(id) })],
    ["by its charge", (id: string) => ({ id: "dp_1", charge: { id: chargeOf(id) } })],
    ["by its order", (id: string) => ({ id: "dp_1", order: { code: referenceOf(id) } })],
  ])("that is told %s needs a person, with the date, and books nothing", async (_how, dataOf) => {
    const id = await paid(3);
    const dispute = pagarme.dispute(chargeOf(id), 50_000n);
    const respondBy = dayOf(dispute.deadline);
    await tell(dataOf(id));
    expect(await disputesOf(id)).toMatchObject([
      { status: DisputeStatus.NEEDS_RESPONSE, respondBy, amount: 50_000n, installment: 0, reason: "FRAUD" },
    ]);
    const waiting = await refunds.listDisputes({ needsResponse: true }, merchant.as);
    expect(waiting.disputes.map(({ paymentId }) => paymentId)).toContain(id);
    expect(await told(id)).toEqual([{ type: "payment.disputed", respond_by: respondBy }]);
    expect(await booked(id)).toBe(0);
    expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
  });

  test("is on the console's first page and on the payment's", async () => {
    const id = await paid();
    pagarme.dispute(chargeOf(id));
    await tell({ chargeId: chargeOf(id) });
    const viewer = await createUser(service, merchant.tenant.id, "viewer");
    const client = new ConsoleClient(service, viewer);
    expect((await client.get("/console/live?lang=en")).body).toContain(
      "Disputes that wait for your documents",
    );
    const { body } = await client.get(`/console/live/payments/${id}?lang=en`);
    expect(body).toContain("needs your response");
  });

  test("is one dispute with the chargeback that takes its money, and ends as lost or won", async () => {
    const id = await paid();
    const dispute = pagarme.dispute(chargeOf(id));
    pagarme.chargeback(chargeOf(id));
    await callBack(cards, merchant, id);
    await service.core.tasks.readReceivables();
    expect((await disputesOf(id)).map(({ status }) => status)).toEqual([DisputeStatus.NEEDS_RESPONSE]);
    // The money has moved, so it is booked.
    expect((await merchant.read(id))["refunded_amount"]).toBe(100_000);
    dispute.status = "WON";
    pagarme.reverseChargeback(chargeOf(id));
    await tell({ chargeId: chargeOf(id) }, "dispute.updated");
    expect((await disputesOf(id)).map(({ status }) => status)).toEqual([DisputeStatus.WON]);
    expect((await told(id)).map(({ type }) => type)).toEqual(["payment.disputed", "payment.dispute_closed"]);
    expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
  });

  test("is found without its callback within a week", async () => {
    const id = await paid();
    pagarme.dispute(chargeOf(id));
    for (let day = 0; day < 8; day++) {
      service.clock.advance(DAY);
      pagarme.clock.advance(DAY);
      await service.core.tasks.readReceivables();
    }
    expect(await disputesOf(id)).toHaveLength(1);
  });
});

describe("disputes that the key may not read, or that cannot be read now,", () => {
  test("leave the money as it is told, with the chargebacks that it shows", async () => {
    const id = await paid();
    pagarme.chargeback(chargeOf(id));
    pagarme.fail("listDisputes", { kind: "text", status: 403, text: "{}" });
    await callBack(cards, merchant, id);
    await service.core.tasks.readReceivables();
    expect((await disputesOf(id)).map(({ status }) => status)).toEqual([DisputeStatus.LOST]);
  });

  test("are asked for again a day later", async () => {
    const id = await paid();
    pagarme.dispute(chargeOf(id));
    pagarme.fail("listDisputes", { kind: "cut" });
    await tell({ chargeId: chargeOf(id) });
    expect(await disputesOf(id)).toEqual([]);
    service.clock.advance(DAY + 1);
    pagarme.clock.advance(DAY + 1);
    await service.core.tasks.readReceivables();
    expect(await disputesOf(id)).toHaveLength(1);
  });
});
