import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { longestStopMs } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

// What one key makes in 30 days: each day a payment of each term, of which those that are not due yet are open.
const TERMS = { from: 40, to: 365 };
const DAYS = 30;
const STOP_MS_MAX = 1000;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("open settlements of every term and many days do not stop the process", async () => {
  service.clock.set(new Date("2026-03-31T12:00:00-03:00"));
  await rows.run("SET session_replication_role = replica");
  await rows.run(
    `INSERT INTO test.settlement (tenant_id, payment_id, succeeded_on, term_days)
      SELECT 'tnt_busy', concat('pay_', day, '_', term), '2026-03-31'::date - day, term
      FROM generate_series(0, $1::int - 1) AS day, generate_series($2::int, $3::int) AS term`,
    [DAYS, TERMS.from, TERMS.to],
  );
  expect(await longestStopMs(service.core.tasks.settle)).toBeLessThan(STOP_MS_MAX);
});
