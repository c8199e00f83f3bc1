/** Changes the code in small ways and looks whether the tests notice: see README.md. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tryMutants } from "./campaign.ts";
import { startCluster } from "./cluster.ts";
import { instrument } from "./instrument.ts";
import { PARTS, type Part } from "./parts.ts";
import { report, unexplained } from "./report.ts";
import { copyTree } from "./sandbox.ts";
import { entryOf, Survivors } from "./survivors.ts";
import { Tester } from "./tester.ts";

const HELP = `npm run mutate -- (--part NAME | --file PATH) [--tests PATH,...] [--workers N]

  --part NAME     the files of a part, with the tests of that part
  --file PATH     only this file, with the tests of its part
  --tests PATHS   these test files instead
  --workers N     how many test processes there are at a time, 2 if not given
  --json PATH     writes the survivors without a reason there, as survivors/ holds them
  --list          the parts, their files and their tests
`;

const { values } = parseArgs({
  options: {
    part: { type: "string" },
    file: { type: "string" },
    tests: { type: "string" },
    workers: { type: "string", default: "2" },
    json: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const print = (line: string): void => console.log(line);

if (values.help) process.stdout.write(HELP);
else if (values.list) list();
else process.exitCode = (await main()) ? 0 : 1;

function list(): void {
  for (const [name, { files, tests }] of Object.entries(PARTS))
    print([name, ...files.map((file) => `  ${file}`), ...tests.map((test) => `    ${test}`)].join("\n"));
}

/** The part that the options name, with the name by which its survivors are kept. */
function chosen(): { name: string; part: Part } {
  const { part: wanted, file, tests } = values;
  const [name = "none", found] =
    Object.entries(PARTS).find(([key, { files }]) =>
      wanted === undefined ? file !== undefined && files.includes(file) : key === wanted,
    ) ?? [];
  const files = file === undefined ? found?.files : [file];
  const testFiles = tests?.split(",") ?? found?.tests;
  if (!files || !testFiles) throw new Error(`no such part, or a file of none without --tests\n\n${HELP}`);
  return { name, part: { ...found, files, tests: testFiles } };
}

async function main(): Promise<boolean> {
  const { name, part } = chosen();
  const started = Date.now();
  const { root, remove } = await copyTree();
  const closing: (() => Promise<void>)[] = [remove];
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // What fails to close must not keep the rest open.
    for (const step of closing) await step().catch((error: unknown) => print(String(error)));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void (closed ??= close()).then(() => process.exit(1)));
  try {
    const mutants = await instrument(root, part.files);
    print(`${mutants.length} mutants in ${part.files.length} files`);
    const cluster = (await needsDatabase(part.tests)) ? await startCluster() : undefined;
    if (cluster) closing.unshift(cluster.stop);
    const testers = await Promise.all(
      Array.from({ length: Number(values.workers) }, async (_, index) => {
        const tester = await Tester.start(root, String(index), cluster?.url ?? "");
        closing.unshift(async () => await tester.close());
        return tester;
      }),
    );
    const findings = await tryMutants(testers, mutants, part, print);
    const survivors = await Survivors.read(name);
    const isGood = report(mutants, findings, survivors, print);
    if (values.json !== undefined) {
      const entries = unexplained(mutants, findings, survivors).map((mutant) => entryOf(mutant));
      await writeFile(values.json, JSON.stringify(entries, null, 2));
    }
    print(`${((Date.now() - started) / 60_000).toFixed(1)} minutes`);
    return isGood;
  } finally {
    await (closed ??= close());
  }
}

/** Tests that need none import nothing of test/support. */
async function needsDatabase(tests: readonly string[]): Promise<boolean> {
  const texts = tests.map((path) => readFile(join(import.meta.dirname, "..", "..", path), "utf8"));
  return (await Promise.all(texts)).some((text) => text.includes("/support/"));
}
