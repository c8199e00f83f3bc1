import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const COUNTS = 20;
const service = await forFile(startService());
const merchant = await createMerchant(service);
const other = await createMerchant(service);

test("counts that wait for a link's row hold one connection, and each is added", async () => {
  const linkId = await merchant.newLink({});
  const headers = { ...service.internal.headers };
  const { client } = new Payer(service, linkId);
  await client.countVisits({ linkId, pageCount: 1 }, { headers });
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  onTestFinished(async () => await holder.end());
  await holder.query("BEGIN");
  await holder.query("SELECT FROM test.link_visits WHERE link_id = $1 FOR UPDATE", [linkId]);
  const counted = Array.from(
    { length: COUNTS },
    async () => await client.countVisits({ linkId, pageCount: 1, sessionCount: 2 }, { headers }),
  );
  // Of the pool's eight connections the counts would hold all.
  await new Payer(service, await other.newLink({})).payByPix();
  await holder.query("COMMIT");
  await Promise.all(counted);
  const { rows } = await holder.query("SELECT day::text, page_count, session_count FROM test.link_visits");
  expect(rows).toEqual([
    { day: dayAt(service.clock.nowMs()).toString(), page_count: "21", session_count: "40" },
  ]);
});
