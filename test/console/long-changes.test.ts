import { expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const COUNT = 40;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a changed day shows the beginning of long rows, which the file of changes has whole", async () => {
  const merchant = await createMerchant(service);
  const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  const long = "<".repeat(60_000);
  const payments = randomPayments(COUNT, START, END).map((payment) => ({ ...payment, metadata: { long } }));
  await insertPayments(rows, merchant.tenant.id, payments);
  await merchant.ledger.sealDay({ day: DAY }, merchant.as);
  await rows.run("UPDATE test.payment SET reference = 'changed' WHERE tenant_id = $1", [merchant.tenant.id]);
  const { statusCode, body } = await finance.get(`/console/test/close/${DAY}/verification?lang=en`);
  expect(statusCode).toBe(200);
  const rowsShown = body.match(/<pre /g)?.length ?? 0;
  expect(rowsShown).toBe(2 * 20);
  expect(body.match(/&lt;/g)?.length).toBeLessThan(rowsShown * 4000);
  expect(body).toContain("Only the beginning is shown here.");
  const file = await finance.get(`/console/test/close/${DAY}/changes.jsonl`);
  expect(file.body.split(long).length - 1).toBe(2 * COUNT);
});
