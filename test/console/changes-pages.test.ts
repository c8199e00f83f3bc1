import { expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { allPages, inRows, listedPage, pageLink, type ListedPage } from "./list-pages.ts";

const COUNT = 45;
const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("the changes of a sealed day are twenty a page, and each page leads back to the one before", async () => {
  const merchant = await createMerchant(service);
  await insertPayments(rows, merchant.tenant.id, randomPayments(COUNT, START, END));
  await merchant.ledger.sealDay({ day: DAY }, merchant.as);
  await rows.run(
    "UPDATE test.payment SET reference = 'changed', updated_at = '2026-04-01T12:00:00Z' WHERE tenant_id = $1",
    [merchant.tenant.id],
  );
  const by = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  const pages = await allPages(by, `/console/test/close/${DAY}/verification`);
  const idsOf = (page: ListedPage): string[] => inRows([page], /payments\/(pay_\w+)"/).filter(Boolean);
  expect(pages.map((page) => idsOf(page).length)).toEqual([20, 20, 5]);
  expect(new Set(pages.flatMap(idsOf)).size).toBe(COUNT);
  const [first, second, third] = pages;
  if (!first || !second || !third) throw new Error("there are fewer pages");
  const back = await listedPage(by, pageLink(third, "prev"));
  expect(idsOf(back)).toEqual(idsOf(second));
  expect(idsOf(await listedPage(by, pageLink(back, "prev")))).toEqual(idsOf(first));
  expect(pageLink(first, "prev")).toBe("");
});
