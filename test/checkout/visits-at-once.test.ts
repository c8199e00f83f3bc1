import { expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const COUNTS = 20;
const service = await forFile(startService());
const merchant = await createMerchant(service);
const database = await forFile(new DatabaseRows(service.databaseUrl).open());

test("counts of a link at once are all added", async () => {
  const linkId = await merchant.newLink({});
  const headers = { ...service.internal.headers };
  const { client } = new Payer(service, linkId);
  await client.countVisits({ linkId, pageCount: 1 }, { headers });
  await Promise.all(
    Array.from(
      { length: COUNTS },
      async () => await client.countVisits({ linkId, pageCount: 1, sessionCount: 2 }, { headers }),
    ),
  );
  const rows = await database.read("SELECT day::text, page_count, session_count FROM test.link_visits");
  expect(rows).toEqual([
    { day: dayAt(service.clock.nowMs()).toString(), page_count: "21", session_count: "40" },
  ]);
});
