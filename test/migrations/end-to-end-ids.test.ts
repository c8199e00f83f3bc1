import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = "2026-11-20T15:00:00Z";
const ID = ["E00000000", "202611201500", "abcdefghijk"].join("");
const CHARGES = [
  ["own id", "pix", "succeeded", "acc_1", ID, null],
  ["another id", "pix", "succeeded", "acc_1", "pay_of_the_provider", ID],
  ["no end-to-end id", "pix", "succeeded", "acc_1", "pay_of_the_provider", null],
  ["sandbox", "pix", "succeeded", null, "E2E-of-the-sandbox", null],
  ["exception", "pix", "expired", "acc_1", ID, null],
  ["card", "card", "succeeded", "acc_1", ID, null],
] as const;

test("payments of a former release have the end-to-end ids of their charges", async () => {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => name < "environment-0073" || name.startsWith("identity");
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  try {
    await rows.run("SET session_replication_role = replica");
    for (const [id, method, status, accountId, providerPaymentId, endToEndId] of CHARGES) {
      await rows.run(
        `INSERT INTO live.payment (tenant_id, id, price_id, method, status, is_single, metadata, created_at)
          VALUES ('ten_1', $1, 'prc_1', $2, $3, true, '{}', $4)`,
        [id, method, status, AT],
      );
      await rows.run(
        `INSERT INTO live.charge (tenant_id, payment_id, session_id, number, reference, created_at, expires_at, check_at,
            receipt_count, is_open, account_id, provider_payment_id, end_to_end_id)
          VALUES ('ten_1', $1::text, $1, 1, $1, $2, $2, $2, 0, false, $3, $4, $5)`,
        [id, AT, accountId, providerPaymentId, endToEndId],
      );
    }
    await rows.run("RESET session_replication_role");
    await migrate(url);
    const found = await rows.read(
      "SELECT id, end_to_end_id FROM live.payment WHERE end_to_end_id IS NOT NULL ORDER BY id",
    );
    expect(found).toEqual([
      { id: "another id", end_to_end_id: ID },
      { id: "own id", end_to_end_id: ID },
      { id: "sandbox", end_to_end_id: "E2E-of-the-sandbox" },
    ]);
  } finally {
    await rows.close();
  }
});
