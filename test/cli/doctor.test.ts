import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { judgeClocks } from "../../cli/doctor/clock.ts";
import { judgeDataFolder } from "../../cli/doctor/data-folder.ts";
import { checkDatabasePackage } from "../../cli/doctor/database-package.ts";
import { judgeSettings } from "../../cli/doctor/database-settings.ts";
import { examine } from "../../cli/doctor/examine.ts";
import type { Finding } from "../../cli/doctor/finding.ts";
import { judgeNode } from "../../cli/doctor/node-version.ts";
import { judgePrivateFiles } from "../../cli/doctor/private-files.ts";
import { Sealer } from "../../src/platform/sealer.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase, DATABASE } from "../support/database.ts";
import { freePorts, runCommand, startProcess, type ServiceProcess } from "../support/process.ts";

type Environment = Readonly<Record<string, string>>;

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

/** Three ports that are free now. */
async function ports(): Promise<Record<string, string>> {
  const [port, core, http] = await freePorts(3);
  return { PORT: String(port), CORE_PORT: String(core), CORE_HTTP_PORT: String(http) };
}

async function examined(env: Environment): Promise<Finding[]> {
  return await Array.fromAsync(examine(env));
}

const notOk = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== "ok");
const finding = (check: string, status: string, found: RegExp, advice: RegExp) => ({
  check,
  status,
  found: expect.stringMatching(found),
  advice: expect.stringMatching(advice),
});

/** Every path below a folder with its mode, owner, size and time of change. */
async function contents(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  const lines = found.map(async (name) => {
    const { mode, uid, size, mtimeMs, ctimeMs } = await stat(join(folder, name));
    return [name, mode, uid, size, mtimeMs, ctimeMs].join(" ");
  });
  return (await Promise.all(lines)).toSorted();
}

describe("paylink doctor on the embedded database", () => {
  let service: ServiceProcess;
  let folder: string;
  let secrets: string[];
  beforeAll(async () => {
    const made = await makeDataFolder();
    folder = join(made.path, "data");
    undo.push(made.remove);
    service = await startProcess(folder, { CORE_HTTP_PORT: (await ports())["CORE_HTTP_PORT"] ?? "" });
    undo.push(async () => service.child.exitCode === null && (await service.end("SIGTERM")));
    const texts = ["core-token", "data-key"].map((name) => readFile(join(folder, name), "utf8"));
    const keys = JSON.parse(await readFile(join(folder, "demo-keys.json"), "utf8"));
    secrets = [
      ...(await Promise.all(texts)),
      ...keys.flatMap((key: Record<string, string>) => key["test_key"]),
    ];
  });

  test("finds a running service healthy, and prints no secret", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor"], service.env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ok +database +embedded, process \d+: PostgreSQL 18\.\d+ answers$/m);
    expect(stdout).toMatch(/^ok +migrations +all \d+ are applied$/m);
    expect(stdout).toMatch(/^ok +data key .* opens this database's secrets$/m);
    expect(stdout).toMatch(/^ok +clock .* the database's clock is -?\d+ ms from this machine's/m);
    expect(stdout.match(/: paylink answers$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^ok +core .* answers$/m);
    expect(stdout).toMatch(/\n0 problems, 0 warnings\n$/);
    for (const secret of secrets) expect(stdout).not.toContain(secret);
  });

  test("--json is one document with the same findings", async () => {
    const { code, stdout } = await runCommand(["doctor", "--json"], service.env);
    expect(code).toBe(0);
    const checks = JSON.parse(stdout);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(checks.length).toBeGreaterThan(10);
    for (const check of checks) expect(Object.keys(check)).toEqual(["check", "status", "found", "advice"]);
  });

  test("a core with another token, another data key", async () => {
    const other = { CORE_TOKEN: "a-token-of-nobody", DATA_KEY: randomBytes(32).toString("base64") };
    expect(notOk(await examined({ ...service.env, ...other }))).toEqual([
      finding("data key", "problem", /^DATA_KEY is not the key/, /DATA_DIR/),
      finding("core", "problem", /refuses this token$/, /CORE_TOKEN/),
    ]);
  });

  test("a stopped one is healthy too, and looking changes nothing", async () => {
    expect(await service.end("SIGTERM")).toBe(0);
    const before = await contents(folder);
    const { code, stdout } = await runCommand(["doctor"], service.env);
    expect(stdout).toMatch(/^ok +database +embedded PostgreSQL 18, stopped: /m);
    expect(stdout.match(/ is free$/gm)).toHaveLength(3);
    expect(stdout).toMatch(/^ok +core +nothing runs at /m);
    expect(stdout).toMatch(/\n0 problems, 0 warnings\n$/);
    expect(code).toBe(0);
    expect(await contents(folder)).toEqual(before);
  });

  test("a lock file that a crash left, keys that others can read, a link in place of one", async () => {
    const lock = join(folder, "postgres", "cluster", "postmaster.pid");
    await writeFile(lock, "999999999\n/nowhere\n");
    await chmod(join(folder, "core-token"), 0o644);
    await rm(join(folder, "data-key"));
    await symlink(join(folder, "core-token"), join(folder, "data-key"));
    await chmod(folder, 0o777);
    expect(notOk(await examined(service.env))).toEqual([
      finding("data folder", "warning", /mode 777/, /chmod go-w/),
      finding("keys", "problem", /core-token can be read by other users \(mode 644\)/, /chmod 600/),
      finding("keys", "problem", /data-key is not an ordinary file/, /link/),
      finding("database", "warning", /did not end by itself/, /recovers/),
    ]);
  });
});

describe("paylink doctor on a database of one's own", () => {
  let url: string;
  let env: Environment;
  let client: pg.Client;
  beforeAll(async () => {
    const database = await cloneDatabase();
    ({ url } = database);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    const { path, remove } = await makeDataFolder();
    undo.push(remove, database.drop, () => client.end());
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

  test("sealed secrets without their key", async () => {
    const pool = new pg.Pool({ connectionString: url, options: "-c search_path=identity" });
    const key = randomBytes(32);
    await Sealer.forDatabase(pool, key);
    await pool.end();
    expect(notOk(await examined({ ...env, DATA_KEY: key.toString("base64") }))).toEqual([fast]);
    const lost = finding("data key", "problem", /there is no key/, /backup/);
    expect(notOk(await examined(env))).toEqual([fast, lost]);
  });

  test("a role without rights and with few connections, a database that is not UTF-8", async () => {
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
  });
});

describe("paylink doctor without a database that answers", () => {
  let env: Environment;
  let folder: string;
  beforeEach(async () => {
    const { path, remove } = await makeDataFolder();
    folder = path;
    undo.push(remove);
    env = { ...(await ports()), DATA_DIR: join(path, "data") };
  });

  test("on a new machine all is well, and nothing is made", async () => {
    expect(notOk(await examined(env))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("an unreachable database, its password not shown", async () => {
    const unreachable = { ...env, DATABASE_URL: "postgresql://me:hidden-word@127.0.0.1:1/x" };
    const findings = await examined(unreachable);
    expect(notOk(findings)).toEqual([finding("database", "problem", /ECONNREFUSED/, /DATABASE_URL/)]);
    expect(JSON.stringify(findings)).not.toContain("hidden-word");
  });

  test("a variable that cannot be used", async () => {
    expect(notOk(await examined({ ...env, PORT: "http" }))).toEqual([
      finding("configuration", "problem", /^PORT must be a port/, /deploy\/README\.md/),
    ]);
  });

  test("a file in place of the data folder, and a cluster that cannot be read", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(notOk(await examined({ ...env, DATA_DIR: join(file, "data") }))).toEqual([
      finding("data folder", "problem", /is not a folder$/, /DATA_DIR/),
    ]);
    await mkdir(join(folder, "data", "postgres", "cluster"), { recursive: true });
    expect(notOk(await examined(env))).toEqual([finding("database", "problem", /PG_VERSION/, /user/)]);
  });

  test("a port of another program, which is no core either, and an address of another machine", async () => {
    const other = createServer((_request, response) => void response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    for (const variable of ["PORT", "CORE_HTTP_PORT"]) {
      expect(notOk(await examined({ ...env, [variable]: port }))).toEqual([
        finding(
          "ports",
          "problem",
          new RegExp(`^${variable} ${port} is taken by another program$`),
          /another port/,
        ),
      ]);
    }
    expect(notOk(await examined({ ...env, CORE_PORT: port }))).toEqual([
      finding("ports", "problem", /^CORE_PORT \d+ is taken/, /another port/),
      finding("core", "problem", /does not answer as a core$/, /CORE_URL/),
    ]);
    other.closeAllConnections();
    await once(other.close(), "close");
    const elsewhere = notOk(await examined({ ...env, HOST: "203.0.113.1" }));
    expect(elsewhere).toHaveLength(3);
    expect(elsewhere[0]).toEqual(finding("ports", "problem", /EADDRNOTAVAIL/, /HOST/));
  });
});

describe("what cannot be brought about here is judged all the same", () => {
  const clocks = { nowMs: Date.UTC(2026, 10, 21), jumpMs: 0, databaseAheadMs: 0 };
  const folder = { path: "/data", exists: true, mode: 0o700, freeMegabytes: 5000 };
  const settings = {
    version: 18,
    encoding: "UTF8",
    isReadOnly: false,
    fsync: "on",
    synchronousCommit: "on",
    fullPageWrites: "on",
    connections: 97,
    mayCreateSchemas: true,
  };

  test("clocks", () => {
    expect(judgeClocks(clocks).status).toBe("ok");
    expect(judgeClocks({ ...clocks, databaseAheadMs: -5000 }).status).toBe("warning");
    expect(judgeClocks({ ...clocks, databaseAheadMs: 120_000 }).status).toBe("problem");
    expect(judgeClocks({ ...clocks, jumpMs: 3000 }).status).toBe("warning");
    expect(judgeClocks({ ...clocks, nowMs: 0 }).status).toBe("problem");
    expect(judgeClocks({ ...clocks, zoneError: "unknown" }).advice).toMatch(/tzdata/);
  });

  test("a disk that is full, a key of another user", () => {
    expect(judgeDataFolder(folder).status).toBe("ok");
    expect(judgeDataFolder({ ...folder, freeMegabytes: 900 }).status).toBe("warning");
    expect(judgeDataFolder({ ...folder, freeMegabytes: 10 }).status).toBe("problem");
    const file = { path: "/data/core-token", isFile: true, mode: 0o600, uid: 1000 };
    expect(judgePrivateFiles([file], 1001)).toMatchObject([{ status: "problem" }]);
    for (const uid of [0, 1000]) expect(judgePrivateFiles([file], uid)).toMatchObject([{ status: "ok" }]);
  });

  test("a replica, servers without durability, an old one", () => {
    const statuses = (change: object) =>
      judgeSettings({ ...settings, ...change }).map(({ status }) => status);
    expect(statuses({})).toEqual(["ok"]);
    expect(statuses({ isReadOnly: true })).toEqual(["problem"]);
    expect(statuses({ fsync: "off", fullPageWrites: "off" })).toEqual(["problem", "problem"]);
    expect(statuses({ version: 17 })).toEqual(["warning"]);
    expect(statuses({ version: 12 })).toEqual(["problem"]);
  });

  test("an old Node, a platform without PostgreSQL", async () => {
    expect(judgeNode("26.10.0", "26.10.0").status).toBe("ok");
    expect(judgeNode("20.20.2", "26.10.0").status).toBe("problem");
    expect(await checkDatabasePackage(true, "sunos-sparc")).toMatchObject({ status: "problem" });
    expect(await checkDatabasePackage(false, "sunos-sparc")).toMatchObject({ status: "warning" });
  });
});
