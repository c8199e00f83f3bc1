import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  identityOf,
  runsAsRoot,
  unprivilegedOwner,
} from "../../src/platform/db/embedded-postgres/account.ts";
import { exists } from "../../src/platform/db/embedded-postgres/file-system.ts";
import { launchPostgres } from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import type {
  EmbeddedPostgres,
  LaunchPostgresOptions,
} from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { startHolder } from "./embedded-postgres/holder.ts";
import { query, runs, serverPid } from "./embedded-postgres/probes.ts";

// Creating a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

describe("one data folder through its life", () => {
  let parent: string;
  let dataDir: string;
  let running: EmbeddedPostgres | undefined;

  async function launch(
    settings: Readonly<Record<string, string>> = {},
    restarts: Pick<LaunchPostgresOptions, "restartsMax" | "onRestart"> = {},
  ): Promise<EmbeddedPostgres> {
    const startedMs = performance.now();
    running = await launchPostgres({ dataDir, settings, ...restarts });
    process.stdout.write(`launched in ${Math.round(performance.now() - startedMs)} ms\n`);
    return running;
  }

  async function rows(text: string): Promise<Record<string, unknown>[]> {
    return await query(running?.connectionString("postgres") ?? "", text);
  }

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "paylink-test-"));
    await chmod(parent, 0o755);
    dataDir = join(parent, "new", "data");
  });

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  afterAll(() => rm(parent, { recursive: true, force: true }));

  test("an initdb killed half way does not spoil the first start", async () => {
    const holder = startHolder(dataDir);
    const halfMade = async () => {
      const names = await readdir(dataDir).catch(() => []);
      return await exists(join(dataDir, names[0] ?? "none", "base"));
    };
    await expect.poll(halfMade, { interval: 5, timeout: 5_000 }).toBe(true);
    await holder.kill();
    expect(await exists(join(dataDir, "cluster"))).toBe(false);

    await launch();
    const [row] = await rows("SELECT version(), current_user AS name");
    expect(row).toMatchObject({ version: expect.stringMatching(/^PostgreSQL 18\./), name: "paylink" });
  });

  test("durability is on, the network off, text is UTF-8 in PostgreSQL's own C.UTF-8", async () => {
    const postgres = await launch({ max_connections: "40" });
    expect(
      await rows(
        "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes'," +
          " 'jit', 'max_connections', 'listen_addresses', 'TimeZone') ORDER BY name COLLATE \"C\"",
      ),
    ).toEqual([
      { name: "TimeZone", setting: "UTC" },
      { name: "fsync", setting: "on" },
      { name: "full_page_writes", setting: "on" },
      { name: "jit", setting: "off" },
      { name: "listen_addresses", setting: "" },
      { name: "max_connections", setting: "40" },
      { name: "synchronous_commit", setting: "on" },
    ]);
    expect(
      await rows(
        "SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale" +
          " FROM pg_database WHERE datname = 'template1'",
      ),
    ).toEqual([{ encoding: "UTF8", provider: "b", locale: "C.UTF-8" }]);
    expect((await stat(postgres.socketDir)).mode & 0o777).toBe(0o700);
  });

  test("the URL reaches a database with blanks and accents, whose data outlive a stop", async () => {
    const name = "Zahlung für 50%";
    const first = await launch();
    await rows(`CREATE DATABASE "${name}"`);
    await query(first.connectionString(name), "CREATE TABLE kept AS SELECT 42 AS answer");
    const pid = await serverPid(dataDir);
    await first.stop();
    expect(runs(pid)).toBe(false);
    expect(await exists(first.socketDir)).toBe(false);

    const second = await launch();
    expect(await query(second.connectionString(name), "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  });

  test("a killed server is started anew at the same address, three times and no more, with its log's last lines", async () => {
    const restarts: string[] = [];
    const postgres = await launch({}, { restartsMax: 3, onRestart: (detail) => restarts.push(detail) });
    const ended = new Promise<string>((resolve) => postgres.onExit(resolve));
    await rows("CREATE TABLE survivor AS SELECT 9 AS nine");
    const address = postgres.connectionString("postgres");
    for (let deaths = 1; deaths <= 4; deaths++) {
      const answer = async () => await query(address, "SELECT nine FROM survivor").catch(() => undefined);
      await expect.poll(answer, { timeout: 20_000, interval: 20 }).toEqual([{ nine: 9 }]);
      // Its errors may hold what a payer typed: they must be in no log.
      await query(address, "SELECT 'a payer''s name'::int").catch(() => undefined);
      process.kill(await serverPid(dataDir), "SIGKILL");
      if (deaths < 4) await expect.poll(() => restarts.length).toBe(deaths);
    }
    expect(restarts[0]).toMatch(/^PostgreSQL was killed by SIGKILL\.\n.* LOG: {2}database system is ready/s);
    expect(await ended).toMatch(
      /^PostgreSQL was killed by SIGKILL\..*\nIt was started anew 3 times within 10 minutes/s,
    );
    expect(restarts.join()).not.toContain("payer");
    await postgres.stop();
    expect(await exists(postgres.socketDir)).toBe(false);
  });

  test("a killed server is reported, and its lock file does not stop the next one", async () => {
    const postgres = await launch({}, { restartsMax: 0 });
    const exit = new Promise<string>((resolve) => postgres.onExit(resolve));
    await rows("CREATE TABLE committed AS SELECT 1 AS one");
    const pid = await serverPid(dataDir);
    process.kill(pid, "SIGKILL");
    expect(await exit).toContain("was killed by SIGKILL");
    await postgres.stop();
    expect(await exists(postgres.socketDir)).toBe(false);

    // The dead server's id now belongs to another program of the same user.
    const account = runsAsRoot() ? await unprivilegedOwner(join(dataDir, "cluster")) : undefined;
    const other = spawn("/bin/cat", [], {
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
      ...identityOf(account),
    });
    const lockFile = join(dataDir, "cluster", "postmaster.pid");
    await writeFile(lockFile, (await readFile(lockFile, "utf8")).replace(String(pid), String(other.pid)));
    await launch();
    expect(await rows("SELECT one FROM committed")).toEqual([{ one: 1 }]);
    expect(other.kill()).toBe(true);
  });

  test("a lock file that a power cut left empty does not stop the next server", async () => {
    const lockFile = join(dataDir, "cluster", "postmaster.pid");
    await writeFile(lockFile, "");
    await utimes(lockFile, 0, 0);
    await launch();
    expect(await rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("the server ends with a killed parent, and the data serve the next one", async () => {
    const holder = startHolder(dataDir);
    const connectionString = await holder.connectionString();
    await query(connectionString, "CREATE TABLE orphaned AS SELECT 7 AS seven");
    const pid = await serverPid(dataDir);
    const socketDir = new URLSearchParams(connectionString.split("?")[1]).get("host") ?? "";
    await holder.kill();

    await launch();
    expect(await rows("SELECT seven FROM orphaned")).toEqual([{ seven: 7 }]);
    expect(runs(pid)).toBe(false);
    await expect.poll(() => exists(socketDir), { interval: 10, timeout: 5_000 }).toBe(false);
  });

  test("a stopped terminal's signals do not reach the server", async () => {
    await launch();
    const pid = await serverPid(dataDir);
    const group = execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" });
    expect(Number(group)).toBe(pid);
  });

  test("a second launch on a folder in use is refused and does not disturb the first", async () => {
    await launch();
    const pid = await serverPid(dataDir);
    await expect(launchPostgres({ dataDir })).rejects.toThrow(
      `in use by another PostgreSQL server (process ${pid}, ready)`,
    );
    expect(await rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("a failed start is explained by the server's log", async () => {
    await expect(launch({ work_mem: "plenty" })).rejects.toThrow(
      /did not start: it exited with 1\.\n.*invalid value for parameter "work_mem": "plenty"/s,
    );
  });

  test.each(["fsync", "Synchronous-Commit", "full_page_writes", "listen_addresses"])(
    "the setting %s is refused",
    async (name) => {
      await expect(launch({ [name]: "off" })).rejects.toThrow(`setting ${name} cannot be changed`);
    },
  );
});
