import { expect, test } from "vitest";
import { daysBefore, today } from "../../gateway/console/day.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const COUNT = 8;
const HOUR_MS = 3_600_000;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));

/** The cells behind the first of the table row that leads to an address. */
async function cellsOf(page: string, address: string): Promise<string[]> {
  const { body } = await client.get(`/console/test${page}`);
  const row = body.split(/<tr[^>]*>/).find((text) => text.includes(address)) ?? "";
  return [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) =>
    cell.replaceAll(/<[^>]*>|\s+/g, " ").trim(),
  );
}

test("a sealed day's row shows what was sealed, in the month and on the first page, and apart how much changed", async () => {
  service.clock.set(new Date());
  // The day before yesterday has ended, in whatever zone, and is among the last seven.
  const day = daysBefore(today(), 2);
  const start = new Date(`${day}T12:00:00Z`);
  const paid = (count: number) =>
    randomPayments(count, start, new Date(start.getTime() + HOUR_MS)).map((payment) => ({
      ...payment,
      status: "succeeded" as const,
      failureCode: null,
      linkId: null,
    }));
  const payments = paid(COUNT);
  await insertPayments(rows, merchant.tenant.id, payments);
  const month = () => cellsOf(`/close?month=${day.slice(0, 7)}`, `/close/${day}"`);
  const week = () => cellsOf("", `from=${day}`);
  const open = { month: await month(), week: await week() };
  await merchant.ledger.sealDay({ day }, merchant.as);
  const sealed = { month: await month(), week: await week() };
  expect(sealed.month.slice(1, 6)).toEqual([...open.month.slice(1, 5), "0"]);
  expect(sealed.month[1]).toBe(String(COUNT));
  expect(sealed.week.slice(0, 5)).toEqual(open.week.slice(0, 5));
  expect(sealed.week[0]).toBe(String(COUNT));

  await insertPayments(rows, merchant.tenant.id, paid(2));
  await rows.run(
    `UPDATE test.payment SET status = 'failed', failure_code = 'card_declined', updated_at = now() WHERE id = $1`,
    [payments[0]?.id],
  );
  const changed = { month: await month(), week: await week() };
  expect(changed.month.slice(0, 5)).toEqual(sealed.month.slice(0, 5));
  expect(changed.month[5]).toBe("3");
  expect(changed.week.slice(0, 5)).toEqual(sealed.week.slice(0, 5));
  expect(changed.week[5]).toBe("Mudou depois de fechado: 3");
});
