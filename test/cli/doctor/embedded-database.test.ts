import { randomBytes } from "node:crypto";
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataFolder } from "../../support/data-folder.ts";
import { runCommand, startProcess, type ServiceProcess } from "../../support/process.ts";
import { examined, finding, notOk, ports } from "./examined.ts";
import { isInFull } from "../../support/scale.ts";

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
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
    expect(stdout.match(/: paylink answers$/gm)).toHaveLength(4);
    expect(stdout).toMatch(/^ok +core .* answers$/m);
    expect(stdout).toMatch(/\n0 problems, 0 warnings\n$/);
    for (const secret of secrets) expect(stdout).not.toContain(secret);
  });

  test.runIf(isInFull())("--json is one document with the same findings", async () => {
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
    expect(stdout.match(/ is free$/gm)).toHaveLength(4);
    expect(stdout).toMatch(/^ok +core +nothing runs at /m);
    expect(stdout).toMatch(/\n0 problems, 0 warnings\n$/);
    expect(code).toBe(0);
    expect(await contents(folder)).toEqual(before);
  });

  test.runIf(isInFull())(
    "a lock file that a crash left, keys that others can read, a link in place of one",
    async () => {
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
    },
  );
});
