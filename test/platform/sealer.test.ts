import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sealer } from "../../src/platform/sealer.ts";
import { cloneDatabase } from "../support/database.ts";

const KEY = Buffer.alloc(32, 1);

let pool: pg.Pool;
beforeAll(async () => {
  const database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, options: "-c search_path=identity" });
});
afterAll(async () => {
  await pool.end();
});

test("what is sealed for one owner opens for it alone, and never reads the same twice", async () => {
  const sealer = await Sealer.forDatabase(pool, KEY);
  const sealed = await sealer.seal("whsec_é", "endpoint a");
  expect(await sealer.seal("whsec_é", "endpoint a")).not.toBe(sealed);
  expect(await sealer.open(sealed, "endpoint a")).toBe("whsec_é");
  await expect(sealer.open(sealed, "endpoint b")).rejects.toThrow("another owner");
  const altered = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
  await expect(sealer.open(altered, "endpoint a")).rejects.toThrow(/decrypt/);
});

test("a process with another key than the database's is refused at its start", async () => {
  await Sealer.forDatabase(pool, KEY);
  await expect(Sealer.forDatabase(pool, Buffer.alloc(32, 2))).rejects.toThrow("The data key (DATA_KEY, else");
  await expect(Sealer.forDatabase(pool, Buffer.alloc(16))).rejects.toThrow("32 bytes");
  expect(await Sealer.forDatabase(pool, KEY)).toBeInstanceOf(Sealer);
});
