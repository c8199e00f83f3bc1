import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/platform/config/config.ts";
import { VARIABLES } from "../../src/platform/config/variables/variables.ts";
import { variablesPage } from "../../tools/scripts/variables-page.ts";
import { deploy, knownVariables, root } from "../deploy/deployed.ts";
import { runProgram } from "../support/process.ts";

const names = VARIABLES.map(({ name }) => name);
const configured = VARIABLES.filter(({ name }) => knownVariables().has(name));

/** The names that a pattern's first group finds in files. */
function found(files: string, pattern: RegExp): Set<string> {
  const paths = globSync(files, { cwd: root, exclude: ["**/node_modules"] });
  const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name)));
}

/** What the configuration makes of variables, or why it refuses them. */
function outcome(env: Readonly<Record<string, string>>): unknown {
  try {
    return readConfig(env);
  } catch (error) {
    return error;
  }
}

test("docs/variables.md is the one that was generated, with a row each, sorted", () => {
  expect(readFileSync(join(root, "docs", "variables.md"), "utf8")).toBe(variablesPage(VARIABLES));
  expect(names).toEqual([...new Set(names)].toSorted());
});

describe("a variable of the configuration", () => {
  test.each(configured)("$name: the example is accepted, and changes something", (variable) => {
    const { name, example, needs = {} } = variable;
    const used = outcome({ ...needs, [name]: example });
    expect(used).not.toBeInstanceOf(Error);
    expect(used).not.toEqual(outcome(needs));
  });

  test.each(configured.flatMap((variable) => ("default" in variable ? [variable] : [])))(
    "$name: the default is what holds without it",
    ({ name, default: value, needs = {} }) => {
      expect(readConfig({ ...needs, [name]: value })).toEqual(readConfig(needs));
    },
  );

  test("what another one needs is in the reference too", () => {
    expect(names).toEqual(expect.arrayContaining(VARIABLES.flatMap(({ needs = {} }) => Object.keys(needs))));
  });
});

describe("the reference is whole, and has nothing that is not read", () => {
  const ofTraces = names.filter((name) => name.startsWith("OTEL_"));
  // Node's own: the zone of dates, and whether styleText colours.
  const ofNode = ["NO_COLOR", "TZ"];
  const inCode = found(
    "{cli,contract,gateway,sdk,src}/**/*.ts",
    /\benv(?:\.|(?:\?\.)?\["|\("|: ")([A-Z][A-Z\d_]+)\b/g,
  );
  // For the embedded database's own processes.
  inCode.delete("PATH");
  const inShell = found("{cli/bin/paylink,deploy/*.sh,deploy/compose.yaml}", /\$\{([A-Z]\w+):/g);

  test("service, command line and containers", () => {
    const read = new Set([...knownVariables(), ...inCode, ...inShell, ...ofNode]);
    expect([...read].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !read.has(name) && !ofTraces.includes(name))).toEqual([]);
  });

  test("defaults of shell and containers", () => {
    const text = ["cli/bin/paylink", "deploy/image-digests.sh", "deploy/compose.yaml"]
      .map((path) => readFileSync(join(root, path), "utf8"))
      .join("\n");
    const own = VARIABLES.filter(({ name }) => inShell.has(name) && !knownVariables().has(name));
    for (const variable of own) {
      const [, value] = new RegExp(`\\$\\{${variable.name}:-([^}]*)\\}`).exec(text) ?? [];
      const isPath = value?.startsWith("$") ?? false;
      expect({ name: variable.name, value: "default" in variable ? variable.default : undefined }).toEqual({
        name: variable.name,
        value: isPath ? undefined : value,
      });
    }
    expect(own.length).toBeGreaterThan(5);
  });

  test("OpenTelemetry, as its SDK asks for them", async () => {
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      ["--input-type=module", "--eval", ASKED_BY_SDK],
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "1", OTEL_EXPORTER_OTLP_TIMEOUT: "50" },
    );
    expect({ code, stderr: stderr.replaceAll(/^\(.*\n/gm, "") }).toEqual({ code: 0, stderr: "" });
    const asked: string[] = JSON.parse(stdout);
    // Limits of log records, and metrics of the SDK itself: both are off.
    const isOff = (name: string): boolean => /^OTEL_(LOGRECORD_|NODE_EXPERIMENTAL_SDK_METRICS$)/.test(name);
    expect(asked.filter((name) => !isOff(name)).toSorted()).toEqual(ofTraces);
  });

  test("examples: each is in the reference or in their README", () => {
    const read = new Set([
      ...found("examples/**/*.{ts,go,py}", /(?:env\["|needed\("|Getenv\("|environ\.get\(")([A-Z_]+)"/g),
      ...found("examples/**/*.sh", /\$\{([A-Z_]+):/g),
    ]);
    const own = found("examples/README.md", /^\| `([A-Z_]+)`/gm);
    expect([...read].filter((name) => !names.includes(name) && !own.has(name))).toEqual([]);
    expect([...own].filter((name) => !read.has(name))).toEqual([]);
    const shared = VARIABLES.filter(({ readBy }) => readBy.includes("examples")).map(({ name }) => name);
    expect(shared).toEqual([...read].filter((name) => names.includes(name)).toSorted());
  });
});

test("deploy/README.md leads to the reference and names variables that are in it", () => {
  const text = readFileSync(join(deploy, "README.md"), "utf8");
  expect(text).toContain("](../docs/variables.md)");
  const named = [...text.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name = ""]) => name);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

// The SDK reads the environment when it starts, when it makes an exporter, of which each protocol has its own, and when a
// batch is sent.
const ASKED_BY_SDK = `
  const asked = new Set();
  const given = { ...process.env };
  process.env = new Proxy(given, { get: (target, name) => (asked.add(String(name)), target[name]) });
  const { startTracing } = await import(${JSON.stringify(join(root, "cli", "observe", "tracing.ts"))});
  for (const [protocol, endpoint] of [["grpc", "127.0.0.1:1"], ["http/json", "http://127.0.0.1:1"], ["http/protobuf", "https://127.0.0.1:1"]]) {
    given.OTEL_EXPORTER_OTLP_PROTOCOL = protocol;
    given.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
    const { tracer, stop } = await startTracing(given, "all");
    tracer.startSpan("any").end();
    await stop();
  }
  console.log(JSON.stringify([...asked].filter((name) => name.startsWith("OTEL_"))));
  process.exit();
`;
