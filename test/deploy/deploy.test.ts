import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { programOf } from "../../cli/program.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase } from "../support/database.ts";
import { freePorts, runProgram } from "../support/process.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { isInFull } from "../support/scale.ts";
import { build, copiedPaths, instructionsOf, type Instruction } from "./container-build.ts";
import { deploy, DIGESTS, isCommand, knownVariables, root } from "./deployed.ts";

const program = await programOf([]);

describe("deploy/README.md", () => {
  test("fits a screen", async () => {
    const text = await readFile(join(deploy, "README.md"), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(80);
    expect(text.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });
});

describe.runIf(isInFull())("Containerfile", () => {
  let instructions: Instruction[];
  let folder: string;
  let shell: Shell;
  const undo: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    instructions = instructionsOf(await readFile(join(deploy, "Containerfile"), "utf8"));
    const made = await makeDataFolder();
    folder = join(made.path, "app");
    await build(root, folder);
    shell = await openShell(folder, {
      PATH: `${join(folder, "node_modules/node/bin")}:${process.env["PATH"]}`,
    });
    undo.push(() => shell.close(), made.remove);
  });
  afterAll(async () => {
    for (const step of undo) await step();
  });

  test("names only what is there, and no secret", async () => {
    const { before, after } = copiedPaths(instructions);
    for (const path of [...before, ...after]) await stat(join(root, path));
    const set = instructions
      .filter(({ word }) => word === "ENV" || word === "ARG")
      .flatMap(({ rest }) => rest.split(" "));
    const names = set
      .map((pair) => pair.split("=")[0] ?? "")
      .filter((name) => name !== "PATH" && !name.endsWith("_DIGEST"));
    expect(knownVariables()).toEqual(new Set([...knownVariables(), ...names]));
    for (const secret of ["CORE_TOKEN", "DATA_KEY", "DATABASE_URL"]) expect(names).not.toContain(secret);
    expect(instructions.filter(({ word }) => word === "USER").map(({ rest }) => rest)).toEqual(["paylink"]);
  });

  test("leaves development dependencies out", async () => {
    await expect(stat(join(folder, "node_modules", "vitest"))).rejects.toThrow("ENOENT");
    await expect(stat(join(folder, "node_modules", "@bufbuild", "buf"))).rejects.toThrow("ENOENT");
  });

  test("what it holds starts, answers its own health check, and drains", async () => {
    const find = (word: string): string => instructions.findLast((one) => one.word === word)?.rest ?? "";
    const entry: string[] = JSON.parse(find("ENTRYPOINT"));
    const command: string[] = JSON.parse(find("CMD"));
    expect(isCommand(command)).toBe(true);
    const version = await shell.run([...entry, "--version"].join(" "));
    expect(version).toEqual({ code: 0, stdout: `${program.version()}\n`, stderr: "" });
    expect((await shell.run([...entry, "--help"].join(" "))).code).toBe(0);

    const [port, corePort, metricsPort] = (await freePorts(3)) as [number, number, number];
    const database = await cloneDatabase();
    const ports = `PORT=${port} CORE_PORT=${corePort} METRICS_PORT=${metricsPort}`;
    const variables = `${ports} PUBLIC_URL=http://127.0.0.1:${port} DATABASE_URL='${database.url}' DATA_DIR=../data`;
    const running = await shell.start(`env ${variables} ${[...entry, ...command].join(" ")}`);
    // The health check of the file itself, at the port of today.
    const [asking = "", ...args] = JSON.parse(find("HEALTHCHECK").replace(/^.*?CMD /, "")) as string[];
    const check = [asking, ...args.map((arg) => `"${arg.replace(":9464", `:${metricsPort}`)}"`)].join(" ");
    await expect.poll(async () => (await shell.run(check)).code, { timeout: 30_000 }).toBe(0);
    expect(await running.interrupt()).toBe(0);
    expect((await shell.run(check)).code).toBe(1);
  });
});

test("every image is named by a digest that the operator gives, and none by a tag", async () => {
  const file = instructionsOf(await readFile(join(deploy, "Containerfile"), "utf8"));
  const images = file.filter(({ word }) => word === "FROM").map(({ rest }) => rest.replace(/ AS \w+$/, ""));
  const { services } = parse(await readFile(join(deploy, "compose.yaml"), "utf8"), { merge: true });
  const asked = Object.values<{ image: string; build?: object }>(services).filter(({ build: made }) => !made);
  images.push(...asked.map(({ image }) => image.replace(/:\?.*\}$/, "}")));
  expect(images.map((image) => /^[\w./]+@\$\{(\w+)\}$/.exec(image)?.[1])).toEqual(DIGESTS);
  expect(file.filter(({ word }) => word === "ARG").map(({ rest }) => rest)).toEqual(DIGESTS.slice(0, 2));
  expect(services.core.build.args).toEqual({
    NODE_DIGEST: expect.stringMatching(/^\$\{NODE_DIGEST:\?/),
    DEBIAN_DIGEST: expect.stringMatching(/^\$\{DEBIAN_DIGEST:\?/),
  });
});

describe("paylink.service", () => {
  test("systemd understands it, where there is systemd", async () => {
    const unit = await readFile(join(deploy, "paylink.service"), "utf8");
    for (const [, name = ""] of unit.matchAll(/^Environment=(\w+)=/gm))
      expect(knownVariables()).toContain(name);
    const [launcher = "", ...words] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "").split(" ");
    expect(isCommand(words)).toBe(true);
    await stat(join(root, launcher.replace("/opt/paylink", "")));
    for (const line of [
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "KillSignal=SIGTERM",
      "User=paylink",
      "LimitCORE=0",
      "MemoryMax=2G",
      "SystemCallFilter=@system-service",
      "SystemCallFilter=~@privileged @resources",
    ]) {
      expect(unit.split("\n")).toContain(line);
    }
    const { path, remove } = await makeDataFolder();
    const file = join(path, "paylink.service");
    await writeFile(file, unit.replaceAll("/opt/paylink", root));
    const verified = await runProgram("systemd-analyze", ["verify", file], {}).catch(() => undefined);
    if (verified)
      expect(verified).toMatchObject({ code: 0, stderr: expect.not.stringContaining("paylink.service") });
    // Exposure in tenths, of 100.
    const judge = ["security", "--offline=true", "--no-pager", "--threshold=20", file];
    const judged = await runProgram("systemd-analyze", judge, {}).catch(() => undefined);
    if (judged) expect(judged).toMatchObject({ code: 0 });
    await remove();
  });
});
