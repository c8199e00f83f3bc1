import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { program } from "../../cli/main.ts";
import { readConfig } from "../../src/platform/config.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase } from "../support/database.ts";
import { freePorts, runProgram } from "../support/process.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { build, copiedPaths, instructionsOf, type Instruction } from "./container-build.ts";
import { isInFull } from "../support/scale.ts";

const root = join(import.meta.dirname, "..", "..");
const deploy = join(root, "deploy");

const DIGESTS = ["NODE_DIGEST", "DEBIAN_DIGEST", "POSTGRES_DIGEST", "CADDY_DIGEST"];
const DIGEST = `sha256:${"0".repeat(64)}`;
const ENGINE = `#!/bin/sh
case "$1 $2" in
  "pull --quiet") echo "$3" ;;
  "image inspect") echo "\${5%:*}@${DIGEST}" ;;
  *) exit 1 ;;
esac
`;

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
}

/** The names that the configuration asks the environment for. */
function knownVariables(): Set<string> {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void asked.add(String(name)) }));
  return asked;
}

/** Whether `paylink <words>` is a command line that is understood. */
function isCommand(words: readonly string[]): boolean {
  const [name, ...options] = words;
  const command = program.commands.find((one) => one.name() === name);
  const role = command?.options.find(({ long }) => long === "--role");
  if (options.length === 0) return command !== undefined;
  return options[0] === "--role" && role?.argChoices?.includes(options[1] ?? "") === true;
}

describe("deploy/README.md", () => {
  test("fits a screen and has exactly the variables that there are", async () => {
    const text = await readFile(join(deploy, "README.md"), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(70);
    expect(text.split("\n").filter((line) => line.length > 120 && !line.startsWith("|"))).toEqual([]);
    const rows = text.match(/^\| `.*?\|/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(knownVariables());
  });
});

describe.runIf(isInFull)("Containerfile", () => {
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

describe("compose.yaml", () => {
  interface Service {
    readonly command?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly ulimits?: { readonly core: number };
    readonly mem_limit?: string;
    readonly depends_on?: Readonly<Record<string, { condition: string }>>;
    readonly healthcheck?: { readonly disable?: boolean };
    readonly deploy?: { readonly replicas: number };
    readonly networks?: readonly string[];
  }
  interface Network {
    readonly ipam?: { readonly config: readonly { readonly subnet: string }[] };
  }
  let text: string;
  let services: Readonly<Record<string, Service>>;
  let networks: Readonly<Record<string, Network | null>>;
  beforeAll(async () => {
    text = await readFile(join(deploy, "compose.yaml"), "utf8");
    ({ services, networks } = parse(text, { merge: true }));
  });

  test("runs the parts apart: two cores, two gateways, a worker", async () => {
    const ours = Object.entries(services).filter(([, { build: made }]) => made);
    expect(
      ours.map(([name, { command, deploy: scale }]) => [name, ...(command ?? []), scale?.replicas]),
    ).toEqual([
      ["core", "serve", "--role", "core", 2],
      ["worker", "serve", "--role", "worker", undefined],
      ["gateway", "serve", "--role", "gateway", 2],
    ]);
    for (const [, { command, build: made, ulimits, mem_limit: memory }] of ours) {
      // A dump of a process holds the data key.
      expect({ ulimits, memory }).toEqual({ ulimits: { core: 0 }, memory: "1g" });
      expect(isCommand(command ?? [])).toBe(true);
      await stat(join(deploy, made?.context ?? "", made?.dockerfile ?? ""));
    }
    // A condition of health needs a check: the service's own, or the image's, which asks any part.
    for (const { depends_on: needs = {} } of Object.values(services)) {
      for (const name of Object.keys(needs)) {
        expect(services[name]?.healthcheck?.disable).toBeUndefined();
        const isChecked = services[name]?.build !== undefined || services[name]?.healthcheck !== undefined;
        expect(isChecked).toBe(true);
      }
    }
  });

  test("lets the gateways trust only the proxy for client addresses", () => {
    const { trustedProxies } = readConfig({
      TRUSTED_PROXIES: fill(services["gateway"]?.environment?.["TRUSTED_PROXIES"] ?? ""),
    });
    const subnets = networks["front"]?.ipam?.config.map(({ subnet }) => fill(subnet));
    expect(trustedProxies).toEqual(subnets);
    expect(services["proxy"]?.networks).toEqual(["front"]);
    const onFront = Object.entries(services).filter(([, service]) => service.networks?.includes("front"));
    expect(onFront.map(([name]) => name)).toEqual(["gateway", "proxy"]);
    expect(services["gateway"]?.networks).toContain("default");
  });

  test("sets only variables that there are, with values that can be used, and holds no secret", () => {
    for (const { environment, build: made } of Object.values(services)) {
      if (!made || !environment) continue;
      expect(knownVariables()).toEqual(new Set([...knownVariables(), ...Object.keys(environment)]));
      const filled = Object.entries(environment).map(([name, value]) => [name, fill(value)]);
      expect(readConfig(Object.fromEntries(filled))).toMatchObject({
        seed: "none",
        coreHttpUrls: ["http://core:50052"],
        isDemoMachine: false,
        rateLimits: { key: { perSecond: 50 }, tenant: { perSecond: 100 }, wrongKeys: { perSecond: 5 } },
      });
      for (const name of ["CORE_TOKEN", "DATA_KEY"]) expect(environment[name]).toMatch(/^\$\{\w+:\?/);
    }
    expect(services["database"]?.environment?.["POSTGRES_PASSWORD"]).toMatch(/^\$\{\w+:\?/);
  });

  test("takes what deploy/README.md makes", async () => {
    const readme = await readFile(join(deploy, "README.md"), "utf8");
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name ?? ""));
    // The shell lines themselves, in a folder of their own.
    const { path, remove } = await makeDataFolder();
    const lines = readme.match(/^ {4}(umask|for|echo|sh) .*$/gm) ?? [];
    await mkdir(join(path, "deploy"));
    await cp(join(deploy, "image-digests.sh"), join(path, "deploy", "image-digests.sh"));
    // No registry is asked: a replacement of the engine knows a digest of every image.
    await writeFile(join(path, "podman"), ENGINE, { mode: 0o755 });
    const shell = await openShell(path, { PATH: `${path}:${process.env["PATH"]}` });
    const { code } = await shell.run(lines.join("\n"));
    await shell.close();
    expect(code).toBe(0);
    const made = (await readFile(join(path, "deploy", ".env"), "utf8")).trim().split("\n");
    expect((await stat(join(path, "deploy", ".env"))).mode & 0o077).toBe(0);
    const values = Object.fromEntries(made.map((line) => line.split(/=(.*)/s)));
    expect(new Set(Object.keys(values))).toEqual(needed);
    const { dataKey } = readConfig({
      HOST: "0.0.0.0",
      ...pick(values, ["CORE_TOKEN", "DATA_KEY", "PUBLIC_URL"]),
    });
    expect(dataKey).toHaveLength(32);
    expect(pick(values, DIGESTS)).toEqual(Object.fromEntries(DIGESTS.map((name) => [name, DIGEST])));
    await remove();
  });

  /** As compose does: a variable that must be set gets something that can be used. */
  function fill(value: string): string {
    return value
      .replace(/\$\{DATA_KEY:\?.*?\}/, Buffer.alloc(32).toString("base64"))
      .replace(/\$\{PUBLIC_URL:\?.*?\}/, "https://pay.example.com")
      .replaceAll(/\$\{\w+:\?.*?\}/g, "a-secret-of-the-operator")
      .replaceAll(/\$\{\w+:-(.*?)\}/g, "$1");
  }
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
    const [node = "", main = "", ...words] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "").split(" ");
    expect(isCommand(words)).toBe(true);
    await stat(join(root, node.replace("/opt/paylink", "")));
    await stat(join(root, main));
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
