import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { Books } from "./books.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("the fee of a paid card is the contracted one of its brand", async () => {
  const books = await Books.of(service);
  const fee = { kind: "card", installmentsFrom: 1, installmentsTo: 12, fixed: 0n };
  await books.client.putContractedFees(
    {
      accountId: "sandbox",
      fees: [
        { ...fee, percentPpm: 50_000n },
        { ...fee, brand: "Visa", percentPpm: 30_000n },
      ],
    },
    books.as,
  );
  const day = books.nextDay();
  const payer = new Payer(
    service,
    await books.merchant.newLink({ amount: 10_000, payment_methods: ["card"] }),
  );
  await payer.open();
  const { paymentId } = await payer.card();
  const [charge] = await rows.read(
    "SELECT card_brand, card_last_four FROM test.charge WHERE payment_id = $1",
    [paymentId],
  );
  expect(charge).toEqual({ card_brand: "visa", card_last_four: "1000" });
  books.nextDay();
  await books.work();
  const { differences } = await books.day(day);
  const missing = differences.flatMap(({ lines }) => lines).find(({ text }) => text.startsWith("fee of "));
  expect(missing?.amount).toBe(-300n);
});
