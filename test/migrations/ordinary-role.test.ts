import pg from "pg";
import { afterAll, expect, inject, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase, DATABASE } from "../support/database.ts";
import { Payer } from "../support/payer.ts";
import { createMerchant } from "../support/merchant.ts";
import { startServiceOn } from "../support/service.ts";

const ROLE = "paylink_ordinary";

// As in a database of one's own: its owner is no superuser.
const database = await cloneDatabase("template0");
const admin = new pg.Client({ connectionString: inject("cluster").replace(DATABASE, "postgres") });
afterAll(async () => await admin.end());
await admin.connect();
await admin.query(`CREATE ROLE ${ROLE} LOGIN NOSUPERUSER`);
await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} OWNER TO ${ROLE}`);
const own = new URL(database.url);
own.username = ROLE;
const url = own.href;

test("an owner of a database who is no superuser migrates it, serves, and removes past sessions", async () => {
  await migrate(url);
  const service = await startServiceOn(url, "direct", {}, (address) => Promise.resolve(address));
  const rows = await new DatabaseRows(url).open();
  try {
    expect(await rows.read("SELECT current_setting('is_superuser') AS is")).toEqual([{ is: "off" }]);
    const merchant = await createMerchant(service);
    const payer = new Payer(service, await merchant.newLink());
    await payer.payByPix();
    await new Payer(service, await merchant.newLink()).open();
    const before = await rows.count("test.price");
    service.clock.advance(3 * 86_400);
    await service.core.tasks.removePast();
    expect(await rows.count("test.checkout_session")).toBe(1);
    expect(await rows.count("test.price")).toBeLessThan(before);
    await expect(rows.run("DELETE FROM test.price")).rejects.toThrow("append-only");
  } finally {
    await rows.close();
    await service.close();
  }
});
