import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { PaidCard } from "./paid-card.ts";

const cards = await forFile(startCards());
const rows = await forFile(new DatabaseRows(cards.service.databaseUrl).open());
const merchant = await connectCards(cards);

/** The events of a payment's disputes, with the dispute's status and deadline, in their order. */
async function told(paymentId: string): Promise<unknown[]> {
  const found = await rows.read(
    `SELECT type, convert_from(body, 'UTF8')::json->'data' AS data FROM live.event
      WHERE object_id = $1 AND type LIKE 'payment.disput%' ORDER BY created_at, id`,
    [paymentId],
  );
  return found.map(({ type, data }) => {
    const { payment, dispute } = data as { payment: { id: string }; dispute: Record<string, unknown> };
    expect([payment.id, dispute["payment_id"]]).toEqual([paymentId, paymentId]);
    return [type, dispute["status"], dispute["respond_by"], dispute["installment"], dispute["amount"]];
  });
}
const entries = async (id: string): Promise<number> =>
  await rows.count("live.ledger_entry WHERE payment_id = $1 AND kind = 'return'", [id]);

test.each(["won", "lost"] as const)(
  "a dispute is told when it is opened and when it is %s, once each, and nothing is given back before",
  async (end) => {
    const card = await PaidCard.pay(cards, merchant, 3);
    cards.asaas.chargeback(card.firstId);
    for (let count = 0; count < 2; count++) await card.tell();
    const [{ valueMinor, chargeback } = {}] = card.atProvider;
    const opened = ["payment.disputed", "needs_response", chargeback?.deadlineOn, 1, Number(valueMinor)];
    expect(await told(card.id)).toEqual([opened]);
    expect(await entries(card.id)).toBe(0);
    cards.asaas.moveChargeback(card.firstId, "disputed");
    await card.tell();
    expect(await told(card.id)).toEqual([opened]);
    cards.asaas.moveChargeback(card.firstId, end);
    for (let count = 0; count < 2; count++) await card.tell();
    if (end === "won") {
      cards.asaas.moveChargeback(card.firstId, "reversed");
      await card.tell();
    }
    expect(await told(card.id)).toEqual([
      opened,
      ["payment.dispute_closed", end, chargeback?.deadlineOn, 1, Number(valueMinor)],
    ]);
  },
);
