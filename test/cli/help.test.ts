import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programOf } from "../../cli/program.ts";
import { faultOf } from "../support/command-line.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { MAIN } from "../support/part.ts";
import { freePorts, runCommand, runProgram } from "../support/process.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { isInFull } from "../support/scale.ts";

const program = await programOf([]);

const root = join(import.meta.dirname, "..", "..");

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

const shown = all(program).filter((command) => command.name() !== "complete");
const pathOf = (command: Command): string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [];

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (chunk) => void (text += chunk) });
  command.outputHelp();
  return text;
}

describe("paylink --help", () => {
  test("tokens create names every service that a permission can name", () => {
    const command = shown.find((one) => pathOf(one).join(" ") === "tokens create");
    const services = ["identity", "pricing", "ledger", "links", "checkout", "webhooks"];
    const text = (command ? helpOf(command) : "").replaceAll(/\s+/g, " ");
    expect(text).toContain(`${services.join(", ")}, providers, media, reconciliation or *`);
    for (const apart of ["receipts:write", "refunds:write", "payers:read"]) expect(text).toContain(apart);
  });

  test("tokens create says apart what each permission gives", () => {
    const command = shown.find((one) => pathOf(one).join(" ") === "tokens create");
    const text = (command ? helpOf(command) : "").replaceAll(/\s+/g, " ");
    for (const word of ["receipts:write", "refunds:write", "payers:read", "payers:write"])
      expect(text).toMatch(new RegExp(`[,:;] ${word} `));
  });

  // The command acts on what has a mode of its own, or on what has none.
  const withoutMode = new Set(["users invite", "users list", "users remove", "users reset"]);

  test("every command of a tenant has --mode: required where one mode is meant, else it narrows to one", () => {
    const ofTenants = shown.filter(({ options }) => options.some(({ long }) => long === "--tenant"));
    for (const command of ofTenants) {
      const path = pathOf(command).join(" ");
      const mode = command.options.find(({ long }) => long === "--mode");
      expect({ path, hasMode: mode !== undefined }).toEqual({ path, hasMode: !withoutMode.has(path) });
      if (mode && !mode.mandatory && mode.defaultValue === undefined)
        expect({ path, text: mode.description }).toEqual({
          path,
          text: "only this environment (default: both)",
        });
    }
  });

  test.each(shown.map((command) => [pathOf(command).join(" "), command] as const))(
    "%s: a sentence, words for every option, environment and exit codes",
    (_path, command) => {
      expect(command.description()).toMatch(/^[A-Za-z].{5,}[^.]$|^Payment links/);
      for (const { flags, description } of command.options)
        expect({ flags, description }).not.toEqual({ flags, description: "" });
      const help = helpOf(command);
      for (const word of ["Usage: paylink", "CORE_URL", "CORE_TOKEN", "DATA_DIR", "Exit codes: 0 "]) {
        expect(help).toContain(word);
      }
    },
  );

  test("every group has examples, and each of them would run", () => {
    const groups = program.commands.filter((command) => !["help", "complete"].includes(command.name()));
    for (const group of groups) {
      const lines = helpOf(group).match(/^ {2}paylink .*/gm) ?? [];
      expect({ group: group.name(), lines: lines.length > 0 }).toEqual({ group: group.name(), lines: true });
      for (const line of lines) {
        expect({ line, fault: faultOf(line.trim()) }).toEqual({ line, fault: null });
        expect(line).toContain(`paylink ${group.name()}`);
      }
    }
    expect(faultOf("paylink keys create --tenant x")).toBe("missing --mode");
  });

  test.each([
    [["kesy"], /^paylink: unknown command 'kesy'\n\(Did you mean keys\?\)\n\(paylink --help says more\)\n$/],
    [["keys", "creat"], /^paylink: unknown command 'creat'\n\(Did you mean create\?\)\n/],
    [
      ["keys", "create", "--tenant", "x"],
      /'--mode <mode>' not specified\n\(paylink keys create --help says more\)\n$/,
    ],
    [["serve", "--role", "boss"], /Allowed choices are all, core, gateway, worker\./],
    [["demo", "key"], /^paylink: No demo tenants \(there is no .*demo-keys\.json\): run `npm start` first/],
  ])("%j says what is wrong, exit 1", async (args, message) => {
    const { code, stdout, stderr } = await runCommand(args, { DATA_DIR: "/nowhere" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("--version and --help end with 0", async () => {
    const [version, help] = await Promise.all([runCommand(["--version"], {}), runCommand(["--help"], {})]);
    expect(version).toEqual({ code: 0, stdout: `${program.version()}\n`, stderr: "" });
    expect(help).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.runIf(isInFull())("paylink completion", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell(root, {});
    const sourced = await shell.run(`source <(${process.execPath} ${MAIN} completion bash)`);
    if (sourced.code !== 0 || sourced.stderr !== "") throw new Error(sourced.stderr);
  });
  afterAll(() => shell.close());

  // As bash does when Tab is pressed behind these words.
  async function completed(...words: string[]): Promise<string[]> {
    const list = words.map((word) => `'${word}'`).join(" ");
    const { stdout } = await shell.run(
      `COMP_WORDS=(paylink ${list}) COMP_CWORD=${words.length} COMPREPLY=(); __paylink_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    return stdout
      .split("\n")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  }

  test("bash is set to use it for paylink", async () => {
    expect((await shell.run("complete -p paylink")).stdout).toMatch(/-F __paylink_complete paylink\n$/);
  });

  test.each([
    [
      [""],
      program.commands
        .filter((command) => command.name() !== "complete")
        .map((command) => command.name())
        .concat("help"),
    ],
    [["de"], ["deliveries", "demo"]],
    [
      ["webhooks", "d"],
      ["disable", "delete"],
    ],
    [
      ["keys", "create", "--"],
      [
        "--tenant",
        "--mode",
        "--scopes",
        "--name",
        "--expires-in",
        "--expires-at",
        "--allow-address",
        "--json",
        "--help",
      ],
    ],
    [["keys", "create", "--tenant", "ten_1", "--m"], ["--mode"]],
    [
      ["keys", "create", "--mode", ""],
      ["test", "live"],
    ],
    [["rules", "put", "--method", "p"], ["pix"]],
    [
      ["serve", "--role", ""],
      ["all", "core", "gateway", "worker"],
    ],
    [["completion", "b"], ["bash"]],
    [["no-such-command", "x"], []],
  ])("%j", async (words, expected) => {
    expect((await completed(...words)).toSorted()).toEqual(expected.toSorted());
  });

  test.each(["zsh", "fish"])("%s gets a script that it can read, where there is one", async (name) => {
    const { code, stdout } = await runCommand(["completion", name], {});
    expect(code).toBe(0);
    expect(stdout).toContain(MAIN);
    if ((await shell.run(`command -v ${name}`)).code !== 0) return;
    const check = `${process.execPath} ${MAIN} completion ${name} > "$TMPDIR_FILE"`;
    const ran = await shell.run(
      `TMPDIR_FILE=$(mktemp); ${check} && ${name} -n "$TMPDIR_FILE"; E=$?; rm "$TMPDIR_FILE"; (exit $E)`,
    );
    expect(ran.code).toBe(0);
  });
});

// util-linux's `script` gives a command a terminal.
describe.skipIf(process.platform !== "linux")("at a terminal", () => {
  const node = `${process.execPath} ${MAIN}`;
  const atTerminal = async (command: string, env: Record<string, string>) =>
    await runProgram("script", ["-qec", command, "/dev/null"], { TERM: "xterm", ...env });

  test("a slow call prints that it waits, on a terminal only", async () => {
    const core = createServer((socket) => {
      socket.on("error", () => undefined);
      setTimeout(() => socket.destroy(), 1000);
    }).listen(0, "127.0.0.1");
    await once(core, "listening");
    const url = `http://127.0.0.1:${(core.address() as AddressInfo).port}`;
    const env = { CORE_URL: url, CORE_TOKEN: "a-token-of-nobody" };
    const [shownTo, asJson, piped] = await Promise.all([
      atTerminal(`${node} ledger check --mode test`, env),
      atTerminal(`${node} ledger check --mode test --json`, env),
      runCommand(["ledger", "check", "--mode", "test"], env),
    ]);
    expect(shownTo.stdout).toContain("checking the books of all tenants");
    expect(asJson.stdout).toMatch(/^paylink: .*\r?\n$/);
    expect(piped.stdout).toBe("");
    expect(piped.stderr).toMatch(/^paylink: .*\n$/);
    expect(piped.stderr).not.toContain("looking");
    await once(core.close(), "close");
  });

  test.runIf(isInFull())("serve prints what it prepares, and where it listens when it is ready", async () => {
    const { path, remove } = await makeDataFolder();
    const [port, corePort] = await freePorts(2);
    const env = {
      PORT: String(port),
      CORE_PORT: String(corePort),
      DATA_DIR: join(path, "data"),
      METRICS_PORT: "0",
    };
    // Ends it as soon as it is ready.
    const untilReady = `until curl -sf -o /dev/null http://127.0.0.1:${port}/healthz; do sleep 0.1; done`;
    const command = `${node} serve & P=$!; ${untilReady}; kill $P; wait $P`;
    const { stdout } = await atTerminal(`timeout 60 bash -c '${command}'`, env);
    expect(stdout).toContain(`creating a database in ${env.DATA_DIR}, which only the first start does`);
    expect(stdout).toMatch(/ready in \d+\.\d s\r?\n {2}REST +http:\/\/127\.0\.0\.1:\d+\/v1/);
    expect(stdout).toContain(`gRPC      127.0.0.1:${corePort}`);
    await remove();
  });
});
