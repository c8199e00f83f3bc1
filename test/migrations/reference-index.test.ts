import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const BUILDING = `pg_stat_activity WHERE datname = current_database() AND state = 'active'
  AND query ~ '^(CREATE|DROP) INDEX CONCURRENTLY'`;

test("the index of references is built beside writes, by one of several processes, over what was left of it", async () => {
  const { url } = await cloneDatabase("template0");
  const former = [...MIGRATIONS].map(([schema, names]) => [
    schema,
    names.filter((name) => name !== "environment-0076"),
  ]);
  await migrate(url, new Map(former as [string, string[]][]));
  const [writer, other] = [await new DatabaseRows(url).open(), await new DatabaseRows(url).open()];
  try {
    await other.run("CREATE INDEX payment_reference ON live.payment (id)");
    await writer.run("BEGIN");
    await writer.run("UPDATE live.payment SET updated_at = now()");
    const starts = Promise.all([migrate(url), migrate(url), migrate(url)]);
    await expect.poll(() => other.count(BUILDING), { timeout: 10_000 }).toBe(1);
    await other.run("SET lock_timeout = '1s'");
    await other.run("UPDATE live.payment SET updated_at = now()");
    await writer.run("COMMIT");
    await starts;
    const indexes = await other.read(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS "isValid", indnkeyatts AS keys FROM pg_index
        WHERE indexrelid::regclass::text LIKE '%payment_reference' ORDER BY 1`,
    );
    expect(indexes).toEqual(
      ["live", "test"].map((mode) => ({ name: `${mode}.payment_reference`, isValid: true, keys: 4 })),
    );
  } finally {
    await writer.close();
    await other.close();
  }
});
