import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readlink, rm, stat } from "node:fs/promises";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { defaultAccount, runAs, runsAsRoot } from "../../../src/platform/db/embedded-postgres/account.ts";
import { binariesAt, findBinaries } from "../../../src/platform/db/embedded-postgres/binaries.ts";
import type { Binaries } from "../../../src/platform/db/embedded-postgres/binaries.ts";
import { launchPostgres } from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { reachableBinaries } from "../../../src/platform/db/embedded-postgres/reachable-binaries.ts";
import { HOLDER, startHolder } from "./holder.ts";
import { query, runs, serverPid } from "./probes.ts";

// Creating a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const NOBODY = { name: "nobody", uid: 65_534, gid: 65_534 };

async function nobodyCanRun(): Promise<boolean> {
  if (!runsAsRoot()) return false;
  const checks = 'test -r "$1" && "$2" --version';
  return (await runAs(NOBODY, "/bin/sh", ["-c", checks, "sh", HOLDER, process.execPath])).ok;
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true });

describe.runIf(runsAsRoot())("started by root", () => {
  let closed: string;
  let home: string;

  beforeAll(async () => {
    closed = await mkdtemp(join(tmpdir(), "paylink-test-closed-"));
    home = await mkdtemp(join(tmpdir(), "paylink-test-home-"));
    await chmod(home, 0o711);
  });

  afterAll(async () => {
    await remove(closed);
    await remove(home);
  });

  /** Reaches the programs with `home` as the place for copies, and says how many copies it made. */
  async function reach(binaries: Binaries): Promise<{ postgres: string; copies: number }> {
    let copies = 0;
    const account = await defaultAccount();
    const onNotice = () => (copies += 1);
    const { postgres } = await reachableBinaries({ binaries, account, home: async () => home, onNotice });
    return { postgres, copies };
  }

  test("data below a folder closed to others lie elsewhere, behind a link", async () => {
    const dataDir = join(closed, "data");
    const notices: string[] = [];
    const first = await launchPostgres({ dataDir, onNotice: (line) => notices.push(line) });
    const elsewhere = await readlink(join(dataDir, "cluster"));
    try {
      await query(first.connectionString("postgres"), "CREATE TABLE kept AS SELECT 1 AS one");
      await first.stop();
      const second = await launchPostgres({ dataDir });
      expect(await query(second.connectionString("postgres"), "SELECT one FROM kept")).toEqual([{ one: 1 }]);
      await second.stop();
    } finally {
      await first.stop();
      await remove(elsewhere);
    }
    expect(notices.join("\n")).toContain(elsewhere);
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
    expect((await lstat(dirname(elsewhere))).mode & 0o777).toBe(0o711);
    await expect(launchPostgres({ dataDir })).rejects.toThrow("a link to a folder that is gone");
  });

  test("programs below a folder closed to others are copied once, and the copy runs", async () => {
    const installed = await findBinaries();
    await symlink(installed.root, join(closed, "native"));
    const binaries = binariesAt(join(closed, "native"), installed);
    const postgres = join(home, `postgres-${installed.build}`, "bin", "postgres");
    expect(await reach(binaries)).toEqual({ postgres, copies: 1 });
    expect(await reach(binaries)).toEqual({ postgres, copies: 0 });
    const copied = binariesAt(join(home, `postgres-${installed.build}`), installed);
    expect(await reach(copied)).toEqual({ postgres, copies: 0 });
  });

  test("a damaged copy is made anew, and modes that are too strict are not copied", async () => {
    const binaries = binariesAt(join(closed, "small"), { build: "small-1", major: "1" });
    await mkdir(join(binaries.root, "bin"), { recursive: true, mode: 0o700 });
    await writeFile(binaries.postgres, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
    await symlink("postgres", join(binaries.root, "bin", "postmaster"));
    const { postgres } = await reach(binaries);
    expect((await stat(join(dirname(postgres), "postmaster"))).mode & 0o777).toBe(0o755);
    await truncate(postgres, 4);
    expect(await reach(binaries)).toEqual({ postgres, copies: 1 });
    expect((await stat(postgres)).size).toBe(17);
    expect((await readdir(home)).filter((name) => !name.startsWith("postgres-"))).toEqual([]);
  });
});

test.runIf(await nobodyCanRun())("an unprivileged user's server runs as that user", async () => {
  const parent = await mkdtemp(join(tmpdir(), "paylink-test-nobody-"));
  await chown(parent, NOBODY.uid, NOBODY.gid);
  const holder = startHolder(parent, NOBODY);
  try {
    const connectionString = await holder.connectionString();
    expect(await query(connectionString, "SELECT current_user AS name")).toEqual([{ name: "paylink" }]);
    const pid = await serverPid(parent);
    expect((await stat(join(parent, "cluster"))).uid).toBe(NOBODY.uid);
    await holder.stop();
    expect(runs(pid)).toBe(false);
  } finally {
    await holder.kill();
    await remove(parent);
  }
});
