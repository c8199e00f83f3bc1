import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = "2026-11-20T15:00:00Z";
const STATUSES = ["processing", "succeeded", "failed", "expired"] as const;

test("what a former release kept of a card goes where its payment is over", async () => {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => name < "environment-0043" || name.startsWith("identity");
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  try {
    await rows.run("SET session_replication_role = replica");
    for (const status of STATUSES) {
      await rows.run(
        `INSERT INTO live.payment (tenant_id, id, price_id, method, status, is_single, metadata, created_at, failure_code)
          VALUES ('ten_1', $1::text, 'prc_1', 'card', $1, true, '{}', $2,
            CASE $1::text WHEN 'failed' THEN 'card_declined' END)`,
        [status, AT],
      );
      await rows.run(
        `INSERT INTO live.charge (tenant_id, payment_id, session_id, number, reference, created_at, expires_at, check_at,
            receipt_count, is_open, card_token_hash)
          VALUES ('ten_1', $1::text, $1, 1, $1, $2, $2, $2, 0, false, 'a hash')`,
        [status, AT],
      );
    }
    await rows.run("RESET session_replication_role");
    await migrate(url);
    const kept = await rows.read(
      "SELECT payment_id AS status FROM live.charge WHERE card_token_hash IS NOT NULL",
    );
    expect(kept).toEqual([{ status: "processing" }]);
  } finally {
    await rows.close();
  }
});
