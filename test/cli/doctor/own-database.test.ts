import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Encryption } from "../../../src/platform/db/encryption.ts";
import { makeDataFolder } from "../../support/data-folder.ts";
import { cloneDatabase, DATABASE } from "../../support/database.ts";
import { runCommand } from "../../support/process.ts";
import { examined, finding, notOk, ports } from "./examined.ts";
import { isInFull } from "../../support/scale.ts";

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

describe("paylink doctor on a database of one's own", () => {
  let url: string;
  let env: Readonly<Record<string, string>>;
  let client: pg.Client;
  beforeAll(async () => {
    const database = await cloneDatabase();
    ({ url } = database);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    const { path, remove } = await makeDataFolder();
    undo.push(remove, () => client.end());
    env = { ...(await ports()), DATA_DIR: path, DATABASE_URL: url };
  });
  // The tests' own server does without, for speed: a real finding.
  const fast = finding("settings", "problem", /^synchronous_commit is off$/, /acknowledged payments/);

  test("commits that a power cut could lose", async () => {
    expect(notOk(await examined(env))).toEqual([fast]);
    const { code, stdout } = await runCommand(["doctor"], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +settings +synchronous_commit is off\n +-> Turn it on/m);
    expect(stdout).toMatch(/\n1 problem, 0 warnings\n$/);
  });

  test("a migration to come, and one that this version does not know", async () => {
    await client.query("DELETE FROM test.migration WHERE name = 'environment-0003'");
    const pending = finding("migrations", "warning", /^test\/environment-0003 not applied yet$/, /back.* up/);
    expect(notOk(await examined(env))).toEqual([fast, pending]);
    await client.query("INSERT INTO live.migration (name) VALUES ('environment-9999')");
    const newer = finding("migrations", "problem", /live\/environment-9999.* does not know/, /newer/);
    expect(notOk(await examined(env))).toEqual([fast, newer]);
    await client.query("DELETE FROM live.migration WHERE name = 'environment-9999'");
    await client.query("INSERT INTO test.migration (name) VALUES ('environment-0003')");
  });

  test("encrypted secrets without their key", async () => {
    const pool = new pg.Pool({ connectionString: url, options: "-c search_path=identity" });
    const key = randomBytes(32);
    await Encryption.forDatabase(pool, key);
    await pool.end();
    expect(notOk(await examined({ ...env, DATA_KEY: key.toString("base64") }))).toEqual([fast]);
    const lost = finding("data key", "problem", /there is no key/, /backup/);
    expect(notOk(await examined(env))).toEqual([fast, lost]);
  });

  test.runIf(isInFull())(
    "a role without rights and with few connections, a database that is not UTF-8",
    async () => {
      const role = `doctor_${randomBytes(6).toString("hex")}`;
      await client.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 30`);
      const weak = new URL(url);
      weak.username = role;
      try {
        expect(notOk(await examined({ ...env, DATABASE_URL: weak.href }))).toEqual([
          finding("settings", "problem", /may not create schemas/, /GRANT CREATE/),
          finding("settings", "warning", /^30 connections: room for 1 core$/, /max_connections/),
          finding("database", "problem", /permission denied/, /right to read/),
        ]);
        await client.query(`ALTER ROLE ${role} CONNECTION LIMIT 20`);
        expect(await examined({ ...env, DATABASE_URL: weak.href })).toContainEqual(
          finding("settings", "problem", /^20 connections: room for no core$/, /up to 27/),
        );
      } finally {
        await client.query(`DROP ROLE ${role}`);
      }
      const name = `${role}_ascii`;
      await client.query(
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`,
      );
      try {
        const ascii = inject("cluster").replace(DATABASE, name);
        expect(notOk(await examined({ ...env, DATABASE_URL: ascii }))).toEqual([
          finding("settings", "problem", /SQL_ASCII/, /UTF8/),
          fast,
          finding("migrations", "warning", /^none is applied yet$/, /first start/),
        ]);
      } finally {
        await client.query(`DROP DATABASE ${name}`);
      }
    },
  );
});
