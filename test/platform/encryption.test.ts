import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Encryption } from "../../src/platform/db/encryption.ts";
import { cloneDatabase } from "../support/database.ts";

const KEY = Buffer.alloc(32, 1);

const database = await cloneDatabase();
const pool = new pg.Pool({ connectionString: database.url, options: "-c search_path=identity" });
afterAll(async () => await pool.end());

test("what is encrypted for one owner opens for it alone, and never reads the same twice", async () => {
  const encryption = await Encryption.forDatabase(pool, KEY);
  const encrypted = await encryption.encrypt("whsec_é", "endpoint a");
  expect(await encryption.encrypt("whsec_é", "endpoint a")).not.toBe(encrypted);
  expect(await encryption.decrypt(encrypted, "endpoint a")).toBe("whsec_é");
  await expect(encryption.decrypt(encrypted, "endpoint b")).rejects.toThrow("another owner");
  const altered = `${encrypted.slice(0, -2)}${encrypted.endsWith("AA") ? "BB" : "AA"}`;
  await expect(encryption.decrypt(altered, "endpoint a")).rejects.toThrow(/decrypt/);
});

test("a process with another key than the database's is refused at its start", async () => {
  await Encryption.forDatabase(pool, KEY);
  await expect(Encryption.forDatabase(pool, Buffer.alloc(32, 2))).rejects.toThrow(
    "The data key (DATA_KEY, else",
  );
  await expect(Encryption.forDatabase(pool, Buffer.alloc(16))).rejects.toThrow("32 bytes");
  expect(await Encryption.forDatabase(pool, KEY)).toBeInstanceOf(Encryption);
});

test("a keyed hash is always the same for one text and owner, and another one by another owner or key", async () => {
  const encryption = await Encryption.forDatabase(pool, KEY);
  const hash = encryption.keyedHash("visa 0010", "link a");
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await Encryption.forDatabase(pool, KEY)).keyedHash("visa 0010", "link a")).toBe(hash);
  await pool.query("DELETE FROM data_key_check");
  const other = await Encryption.forDatabase(pool, Buffer.alloc(32, 2));
  await pool.query("DELETE FROM data_key_check");
  const others = [encryption.keyedHash("visa 0010", "link b"), other.keyedHash("visa 0010", "link a")];
  expect(new Set([hash, ...others]).size).toBe(3);
});
