import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { differences, fingerprint } from "../../tools/drills/migrations/fingerprint.ts";
import { interruptMigrations } from "../../tools/drills/migrations/interrupt.ts";
import { Random } from "../../tools/drills/random.ts";
import { cloneDatabase } from "../support/database.ts";
import { isInFull } from "../support/scale.ts";

test.runIf(isInFull())(
  "a core that is killed within a migration makes of it what an undisturbed one makes",
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "paylink-migrations-"));
    try {
      await chmod(folder, 0o711);
      expect(await interruptMigrations(folder, new Random(1), 2)).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.each([
  ["column test.price.percent_ppm", "ALTER TABLE test.price ALTER COLUMN percent_ppm SET DEFAULT 0"],
  ["index live.payment_price", "DROP INDEX live.payment_price"],
  ["trigger live.price.price_no_delete", "DROP TRIGGER price_no_delete ON live.price"],
  [
    "rows of identity.tenant",
    "INSERT INTO identity.tenant (id, name, payment_methods, max_installments, collect_fields, settlement_days, created_at) VALUES ('ten_1', '', '{}', 1, '{}', 1, now())",
  ],
])("a database that differs in %s is seen", async (name, change) => {
  const client = new pg.Client({ connectionString: (await cloneDatabase()).url });
  await client.connect();
  try {
    const before = await fingerprint(client);
    expect(differences(before, await fingerprint(client))).toEqual([]);
    await client.query(change);
    expect(differences(before, await fingerprint(client))).toEqual([name]);
  } finally {
    await client.end();
  }
});
