import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataFolder } from "./support/data-folder.ts";
import { commandsOf } from "./support/markdown.ts";
import { freePorts } from "./support/process.ts";
import { openShell, type Shell, type ShellResult, type Started } from "./support/shell.ts";

const root = join(import.meta.dirname, "..");
const LINES_MAX = 150;
const COLUMNS_MAX = 120;
const QUICK_START_COMMANDS = 4;
const PAYMENT = { status: "succeeded", gross_amount: 15_990, gross_currency: "BRL" };

let readme: string;
let manifest: Record<string, Record<string, string>>;
let scripts: Record<string, string>;
let shell: Shell;
let shopPort: number;
let corePort: number;
let coreHttpPort: number;
let baseUrl: string;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  readme = await readFile(join(root, "README.md"), "utf8");
  manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  scripts = manifest["scripts"] ?? {};
  const { path: home, remove } = await makeDataFolder();
  const [port = 0, core = 0, metricsPort, free = 0, coreHttp = 0] = await freePorts(5);
  shopPort = free;
  corePort = core;
  coreHttpPort = coreHttp;
  baseUrl = `http://127.0.0.1:${port}`;
  // The commands run as they are printed: only curl gets an option with the address of localhost:8080.
  await writeFile(join(home, ".curlrc"), `connect-to = "localhost:8080:127.0.0.1:${port}"\n`);
  shell = await openShell(root, {
    HOME: home,
    PORT: String(port),
    CORE_PORT: String(corePort),
    CORE_HTTP_PORT: String(coreHttpPort),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: join(home, "data"),
    // For the examples, which do not know of the service's own variables.
    PAYLINK_URL: baseUrl,
    CORE_URL: `http://localhost:${corePort}`,
    SHOP_PORT: String(shopPort),
    // A new user has none of ours.
    NODE_OPTIONS: "",
  });
  // npx takes a second to find what is in this folder: in the quick form it is found at once.
  const npx = `npx() { if [ "$1" = paylink ]; then shift; cli/bin/paylink "$@"; else "$@"; fi; }`;
  if (process.env["CI"] === undefined) await shell.run(npx);
  undo.push(() => shell.close(), remove);
});
afterAll(async () => {
  for (const step of undo) await step();
});

/** Looks at what a command printed. Its exit code is looked at before. */
type Judge = (result: ShellResult) => void | Promise<void>;

const json = ({ stdout }: ShellResult): unknown => JSON.parse(stdout);
const prints =
  (pattern: RegExp): Judge =>
  ({ stdout }) =>
    expect(stdout).toMatch(pattern);
const sets =
  (name: string, pattern: RegExp): Judge =>
  async () =>
    expect((await shell.run(`printf %s "$${name}"`)).stdout).toMatch(pattern);

/** These do not end by themselves: each is started, waited for, and stays until the end. */
const lasting: readonly [RegExp, (output: () => Promise<string>) => Promise<void>][] = [
  [
    /^npm ci && npm start$/,
    async (output) => {
      await expectLocked();
      const answers = async () => (await fetch(`${baseUrl}/healthz`).catch(() => undefined))?.status;
      await expect.poll(answers, { timeout: 75_000 }).toBe(200);
      await expect.poll(output, { timeout: 10_000 }).toContain("Demo tenants");
    },
  ],
  [
    /^npx paylink listen /,
    async (output) => {
      await expect.poll(output, { timeout: 20_000 }).toContain("Listening.");
      const link = await shell.run(`post payment_links '{"amount":100000,"currency":"BRL"}' | cut -d'"' -f4`);
      await shell.run(`post payment_links/${link.stdout.trim()}/simulate_payment '{"outcome":"failed"}'`);
      await expect.poll(output, { timeout: 20_000 }).toMatch(/payment\.failed {2}pay_/);
    },
  ],
];

// It would replace the modules that this test runs on; a fresh clone runs it for real in CI.
const INSTALL = "npm ci && ";

async function expectLocked(): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")).packages[""];
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  expect(lock).toMatchObject({ dependencies, devDependencies, optionalDependencies });
}

/** These are not run here: what is run instead says the same of them. */
const replaced: readonly [RegExp, string, Judge][] = [
  // They would run this test.
  [/^npm ci && npm test$/, "true", () => expect(scripts["test"]).toBe("vitest run --mode small")],
  [
    /^npm run check$/,
    "bash -n tools/scripts/check.sh",
    () => expect(scripts["check"]).toBe("bash tools/scripts/check.sh"),
  ],
];

const judges: readonly [RegExp, Judge][] = [
  [/^export KEY=/, sets("KEY", /^svc_test_[\w-]{43}$/)],
  [/^LINK=/, sets("LINK", /^pl_\w{26}$/)],
  [
    /^curl .*\/simulate_payment/,
    async (result) => {
      const { stdout } = await shell.run(`printf %s "$LINK"`);
      expect(json(result)).toMatchObject({ ...PAYMENT, link_id: stdout, reference: "order-1" });
    },
  ],
  [/^post\(\)/, async () => expect((await shell.run("declare -F post")).code).toBe(0)],
  [/^QUOTE=/, sets("QUOTE", /^qt_\w{26}$/)],
  [
    /^post quotes\/\$QUOTE\/accept/,
    (result) => expect(json(result)).toMatchObject({ payer_total: 15_990, reference: "order-2" }),
  ],
  [/^TODAY=/, sets("TODAY", /^\d{4}-\d\d-\d\d$/)],
  [
    /^curl .*\/v1\/payments\?/,
    (result) => expect(json(result)).toMatchObject({ data: [PAYMENT], has_more: false }),
  ],
  [/^npx paylink --help$/, prints(/Usage: paylink[^]*Commands:/)],
  [/^(export )?TENANT=/, sets("TENANT", /^ten_\w{26}$/)],
  [/^npx paylink keys create /, prints(/key +svc_test_/)],
  [/^npx paylink rules init /, prints(/^rul_\w+ +pix +BRL +kept$/m)],
  [/^npx paylink links create /, prints(/^checkout_url +http/m)],
  [/^npx paylink fx publish /, prints(/^id +\S+\n$/)],
  [
    /^source <\(npx paylink completion bash\)$/,
    async () => expect((await shell.run("complete -p paylink")).code).toBe(0),
  ],
  [/^export WEBHOOK_SECRET=/, sets("WEBHOOK_SECRET", /^whsec_/)],
  [
    /^npx node examples\/merchant-typescript\/main\.ts$/,
    prints(/every order of this shop is found, at its price\n$/),
  ],
  [/^npx paylink users invite /, prints(/\/console\/invitations\/[\w-]{43}/)],
  [/^npx paylink payments exceptions /, prints(/Nothing yet/)],
  [/^TOKEN=/, sets("TOKEN", /^core_[\w-]{43}$/)],
  [/^npx buf lint && npx buf build /, ({ stdout }) => expect(stdout).toBe("")],
  [/^npx buf curl .*--list-methods/, prints(/^paylink\.ledger\.v1\.LedgerService\/ListPayments$/m)],
  [/^npx buf curl .*ListPayments$/s, prints(/"status": ?"PAYMENT_STATUS_SUCCEEDED"/)],
  [/^curl .*LedgerService\/ListPayments$/s, prints(/"status": ?"PAYMENT_STATUS_SUCCEEDED"/)],
  [/^npx paylink tokens list$/, prints(/billing +ledger:read,links:write +- +- +- +core_…/)],
  [/^npx node examples\/internal-grpc\/main\.ts$/, prints(/debits equal credits\n$/)],
  [/^npx paylink events list /, prints(/payment\.succeeded +pay_/)],
  [/^npx paylink deliveries list .*--status failed$/, prints(/^Nothing yet\.\n$/)],
  [/^npx paylink trigger payment\.failed /, prints(/^event +evt_\w{26}\ntype +payment\.failed\n/)],
  [/^npx paylink doctor$/, prints(/0 problems/)],
  [/^npx paylink ledger check --mode test$/, prints(/^result +clean\n/)],
  [/^npx paylink ledger balance /, prints(/merchant_payable +BRL/)],
];

/** The one rule that knows the command; a command that none or several know is an error. */
function only<Rule extends readonly [RegExp, ...unknown[]]>(rules: readonly Rule[], command: string): Rule {
  const found = rules.filter(([pattern]) => pattern.test(command));
  const [rule] = found;
  if (!rule || found.length > 1)
    throw new Error(`${found.length} rules judge the README's command: ${command}`);
  return rule;
}

describe("README.md", () => {
  test("fits three screens", () => {
    const lines = readme.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
    expect(lines.filter((line) => line.length > COLUMNS_MAX)).toEqual([]);
  });

  test("leads from zero to a paid link in four commands", () => {
    const quickStart = readme
      .split(/^## /m)
      .find((section) => section.startsWith("From zero to a paid link"));
    expect(commandsOf(quickStart ?? "")).toHaveLength(QUICK_START_COMMANDS);
  });

  test("links to what is there", async () => {
    const paths = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) => path ?? "");
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) await stat(join(root, path));
  });

  test("names in its text only commands that exist", async () => {
    const texts = readme
      .replaceAll(/^```.*?^```$/gms, "")
      .replaceAll("\n", " ")
      .matchAll(/`(npm|npx paylink) ([^`]+)`/g);
    const wrong: string[] = [];
    for (const [text, program, rest = ""] of texts) {
      const words = rest.split(" ").filter((word) => !word.startsWith("-"));
      if (program === "npm") {
        const name = words[0] === "run" ? words[1] : words[0];
        if (!(String(name) in scripts)) wrong.push(text);
      } else if ((await shell.run(`npx paylink ${rest} --help`)).code !== 0) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  test("a command without an expectation is an error", () => {
    expect(() => only(judges, "echo hi")).toThrow("0 rules judge the README's command: echo hi");
    expect(() => commandsOf("```bash\nif true; then\n```\n")).toThrow("a command that does not end");
  });

  test("has only commands that work as printed", { timeout: 240_000 }, async () => {
    const commands = commandsOf(readme);
    expect(commands.length).toBeGreaterThan(QUICK_START_COMMANDS);
    const running: Started[] = [];
    for (const printed of commands) {
      // The only port that a command names and curl does not connect to.
      const command = printed
        .replaceAll("localhost:3000", `localhost:${shopPort}`)
        .replaceAll("localhost:50051", `localhost:${corePort}`)
        .replaceAll("localhost:50052", `localhost:${coreHttpPort}`);
      const oneLine = printed.replaceAll("\\\n", "").replaceAll(/ +/g, " ");
      if (lasting.some(([pattern]) => pattern.test(oneLine))) {
        const started = await shell.start(command.replace(INSTALL, ""));
        running.push(started);
        await only(lasting, oneLine)[1](started.output);
        continue;
      }
      const [, instead, judge] = replaced.some(([pattern]) => pattern.test(oneLine))
        ? only(replaced, oneLine)
        : [undefined, command, only(judges, oneLine)[1]];
      const result = await shell.run(instead);
      expect(result.code, `${command}\n${result.stdout}${result.stderr}`).toBe(0);
      await judge(result);
    }
    // Ctrl-C, as the page says; npm itself answers 130 for a script that was interrupted.
    for (const started of running.toReversed()) expect([0, 130]).toContain(await started.interrupt());
    await expect(fetch(baseUrl)).rejects.toThrow("fetch failed");
  });
});
