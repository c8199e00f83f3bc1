import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const BUILDING = `pg_stat_activity WHERE datname = current_database() AND state = 'active'
  AND query ~ '^(CREATE|DROP) INDEX CONCURRENTLY'`;

test.each([
  { migration: "environment-0076", table: "payment", index: "payment_reference", keys: 4 },
  { migration: "environment-0079", table: "ledger_entry", index: "ledger_entry_of_merchant", keys: 3 },
])("$index is built beside writes, by one of several processes, over what was left of it", async (built) => {
  const { migration, table, index, keys } = built;
  const { url } = await cloneDatabase("template0");
  const former = [...MIGRATIONS].map(([schema, names]) => [
    schema,
    names.filter((name) => name !== migration),
  ]);
  await migrate(url, new Map(former as [string, string[]][]));
  const [writer, other] = [await new DatabaseRows(url).open(), await new DatabaseRows(url).open()];
  try {
    await other.run(`CREATE INDEX ${index} ON live.${table} (tenant_id)`);
    const write = `LOCK TABLE live.${table} IN ROW EXCLUSIVE MODE`;
    await writer.run("BEGIN");
    await writer.run(write);
    const starts = Promise.all([migrate(url), migrate(url), migrate(url)]);
    await expect.poll(() => other.count(BUILDING), { timeout: 10_000 }).toBe(1);
    await other.run("SET lock_timeout = '1s'");
    await other.run(`BEGIN; ${write}; COMMIT`);
    await writer.run("COMMIT");
    await starts;
    const indexes = await other.read(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS "isValid", indnkeyatts AS keys FROM pg_index
        WHERE indexrelid::regclass::text LIKE '%${index}' ORDER BY 1`,
    );
    expect(indexes).toEqual(
      ["live", "test"].map((mode) => ({ name: `${mode}.${index}`, isValid: true, keys })),
    );
  } finally {
    await writer.close();
    await other.close();
  }
});
