import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { serverPid } from "../platform/embedded-postgres/probes.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { startCommand } from "../support/part.ts";
import { runCommand, startProcess } from "../support/process.ts";
import { SECRETS, startLoadedService } from "./loaded-service.ts";

const PATIENCE = { timeout: 60_000, interval: 5 };

const service = await forFile(startLoadedService());
const archives = await mkdtemp(join(tmpdir(), "paylink-backups-"));
await forFile(Promise.resolve({ close: async () => await rm(archives, { recursive: true }) }));
const taken = join(archives, "taken.tar.gz");

const backUp = async (file: string, ...more: string[]) =>
  await runCommand(["backup", file, "--json", ...more], service.process.env);
const restore = async (file: string, dataDir: string, env: Record<string, string> = SECRETS) =>
  await runCommand(["restore", file, "--json"], { ...env, DATA_DIR: dataDir });
const filesOf = async (folder: string) => (await readdir(folder)).toSorted();

/** What was acknowledged before the first backup began, which is taken under load, for all tests. */
let before: ReadonlyMap<string, string>;
beforeAll(async () => {
  const end = await service.load(50);
  before = new Map(service.acknowledged);
  const { code, stderr } = await backUp(taken);
  await end();
  if (code !== 0) throw new Error(stderr);
});

test("a backup under load restores to books and seals that are right, and to every acknowledged key", async () => {
  const { path: dataDir, remove } = await makeDataFolder();
  const { code, stdout, stderr } = await restore(taken, dataDir);
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ books: "clean", seals: "intact", sealed_days: 1 });
  expect(JSON.parse(stdout).payments).toBeGreaterThanOrEqual(before.size / 2);
  const restored = await startProcess(dataDir, SECRETS);
  for (const [name, text] of before) {
    expect(await service.ask(restored.baseUrl, name)).toEqual({ status: 201, text, replay: true });
  }
  // What came while it was taken is there whole, or not at all.
  for (const [name, text] of service.acknowledged) {
    const again = await service.ask(restored.baseUrl, name);
    expect(again.status).toBe(201);
    if (again.replay) expect(again.text).toBe(text);
  }
  const { day, tenant } = service.sealed;
  const of = ["--tenant", tenant, "--mode", "test", "--json"];
  const verified = await runCommand(["close", "verify", day, ...of], restored.env);
  expect(JSON.parse(verified.stdout)).toMatchObject({ result: "intact", rows: 2 });
  await restored.end("SIGTERM");
  await remove();
});

test("a backup that is killed leaves no file of its name, and the next one removes what it left", async () => {
  const file = join(archives, "killed.tar.gz");
  const command = startCommand(["backup", file], service.process.env);
  await expect.poll(() => filesOf(archives), PATIENCE).toContain(`.paylink-${command.child.pid}.unfinished`);
  await command.end("SIGKILL");
  expect(await filesOf(archives)).not.toContain("killed.tar.gz");
  expect((await backUp(file)).code).toBe(0);
  expect(await filesOf(archives)).toEqual(["killed.tar.gz", "taken.tar.gz"]);
});

test("a backup whose PostgreSQL is killed fails, and leaves nothing", async () => {
  const file = join(archives, "interrupted.tar.gz");
  const command = startCommand(["backup", file], service.process.env);
  await expect.poll(() => filesOf(archives), PATIENCE).toContain(`.paylink-${command.child.pid}.unfinished`);
  process.kill(await serverPid(join(service.dataDir, "postgres")), "SIGKILL");
  await expect.poll(() => command.child.exitCode, PATIENCE).toBe(1);
  expect(command.output()).toMatch(/^paylink: .+\n$/);
  expect(await filesOf(archives)).not.toContain("interrupted.tar.gz");
  expect((await filesOf(archives)).filter((name) => name.startsWith("."))).toEqual([]);
  await expect
    .poll(async () => (await service.ask(service.process.baseUrl, "after")).status, PATIENCE)
    .toBe(201);
});

test("a folder or a file that is not there is named, and nothing is made", async () => {
  const { path: dataDir, remove } = await makeDataFolder();
  const nowhere = join(dataDir, "nowhere");
  expect((await backUp(join(nowhere, "taken.tar.gz"))).stderr).toBe(
    `paylink: There is no folder ${nowhere}: make it first, or name another one.\n`,
  );
  for (const file of [join(archives, "none.tar.gz"), archives]) {
    const { code, stderr } = await restore(file, nowhere);
    const reason = `paylink: ${file} is not there, or is no file: name one that backup wrote.\n`;
    expect([code, stderr]).toEqual([1, reason]);
  }
  expect(await filesOf(dataDir)).toEqual([]);
  await remove();
});

test("a backup replaces no file", async () => {
  const { code, stderr } = await backUp(taken);
  expect(code).toBe(1);
  expect(stderr).toContain("taken.tar.gz is there already");
});

test("a restore that is killed leaves no database, and the next one succeeds", async () => {
  const { path: dataDir, remove } = await makeDataFolder();
  const command = startCommand(["restore", taken], { ...SECRETS, DATA_DIR: dataDir });
  await expect
    .poll(() => filesOf(join(dataDir, ".restoring", "postgres")).catch(() => []), PATIENCE)
    .not.toEqual([]);
  await command.end("SIGKILL");
  expect(await filesOf(dataDir)).toEqual([".restoring"]);
  expect((await restore(taken, dataDir)).code).toBe(0);
  expect(await filesOf(dataDir)).toEqual(["postgres"]);
  const { code, stderr } = await restore(taken, dataDir);
  expect(code).toBe(1);
  expect(stderr).toContain("has a database, and a restore replaces none");
  await remove();
});

test.each([
  [
    "cut",
    (bytes: Buffer) => bytes.subarray(0, bytes.length - 1000),
    /^paylink: \/.+ is no backup, or is damaged: unexpected end of file\.\n$/,
  ],
  [
    "changed",
    (bytes: Buffer) => {
      // One bit may leave what is unpacked as it is: where zeros repeat, any distance finds them.
      const middle = bytes.length >> 1;
      return Buffer.from(bytes.map((byte, at) => (at >= middle && at < middle + 64 ? byte ^ 255 : byte)));
    },
    /^paylink: .+\n$/,
  ],
  [
    "no backup",
    () => Buffer.from("a text"),
    /^paylink: \/.+ is no backup, or is damaged: incorrect header check\.\n$/,
  ],
])("a file that is %s is refused, and leaves nothing", async (name, change, reason) => {
  const { path: dataDir, remove } = await makeDataFolder();
  const file = join(archives, `${name}.tar.gz`);
  await writeFile(file, change(await readFile(taken)));
  const { code, stderr } = await restore(file, dataDir);
  expect(code).toBe(1);
  expect(stderr).toMatch(reason);
  expect(await filesOf(dataDir)).toEqual([]);
  await remove();
});

test("without its data key, or with another one, nothing is restored", async () => {
  const { path: dataDir, remove } = await makeDataFolder();
  const without = await restore(taken, dataDir, { PAYLINK_SEED: "none" });
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining("The data key is not in this backup"),
  ]);
  const other = Buffer.alloc(32, 8).toString("base64");
  const wrong = await restore(taken, dataDir, { DATA_KEY: other });
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining("DATA_KEY is not the key of this backup"),
  ]);
  expect(await filesOf(dataDir)).toEqual([]);
  await remove();
});

test("a stopped service is backed up too, with its pictures and, if it is wished, its secrets", async () => {
  const { path: from, remove } = await makeDataFolder();
  const { path: to, remove: removeTo } = await makeDataFolder();
  const started = await startProcess(from, { PAYLINK_SEED: "none" });
  await started.end("SIGTERM");
  await cp(import.meta.filename, join(from, "media", "picture"));
  const file = join(archives, "whole.tar.gz");
  const { stdout } = await runCommand(["backup", file, "--json", "--with-secrets"], { DATA_DIR: from });
  expect(JSON.parse(stdout)).toMatchObject({ pictures: 1, secrets: ["data-key", "core-token"] });
  expect((await restore(file, to, {})).code).toBe(0);
  for (const name of ["data-key", "core-token", "media/picture"]) {
    expect(await readFile(join(to, name))).toEqual(await readFile(join(from, name)));
  }
  await remove();
  await removeTo();
});
