import { expect, test } from "vitest";
import { identityEntities } from "../../src/identity/entities.ts";
import { KeyUses } from "../../src/identity/key-uses.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { MovableClock } from "../support/clock.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";

const TENANTS = 3;
const UNUSED = "identity.api_key WHERE last_used_at IS NULL";

test("uses are written by themselves a while later, all in one statement, and the latest stays", async () => {
  const { url } = await cloneDatabase();
  const rows = await new DatabaseRows(url).open();
  const identity = await openEnvironment({ url, schema: "identity", entities: identityEntities, poolMax: 2 });
  const clock = new MovableClock();
  const faults: unknown[] = [];
  const deps = { identity, clock, onFault: (error: unknown) => void faults.push(error) };
  for (let number = 0; number < TENANTS; number++) {
    await rows.run(`INSERT INTO identity.tenant VALUES ($1, 'x', '{}', 1, '{}', 1, now())`, [
      `ten_${number}`,
    ]);
    await rows.run(`INSERT INTO identity.api_key VALUES ($1, $2, '', 'test', '{}', $2, '', now())`, [
      `ten_${number}`,
      `key_${number}`,
    ]);
  }
  const uses = new KeyUses({ ...deps, delayMs: 20 });
  for (let number = 0; number < TENANTS - 1; number++)
    uses.note({ tenantId: `ten_${number}`, keyId: `key_${number}` });
  expect(await rows.count(UNUSED)).toBe(TENANTS);
  await expect.poll(() => rows.count(UNUSED)).toBe(1);

  const [first] = await rows.read("SELECT last_used_at FROM identity.api_key WHERE id = 'key_0'");
  const behind = new MovableClock();
  behind.advance(-600);
  const late = new KeyUses({ ...deps, clock: behind });
  late.note({ tenantId: "ten_0", keyId: "key_0" });
  await late.flush();
  expect(await rows.read("SELECT last_used_at FROM identity.api_key WHERE id = 'key_0'")).toEqual([first]);

  await rows.run("ALTER TABLE identity.api_key RENAME TO api_keys");
  clock.advance(61);
  uses.note({ tenantId: "ten_0", keyId: "key_0" });
  await uses.flush();
  expect(faults).toHaveLength(1);
  await identity.orm.close(true);
  await rows.close();
});
