/** Measures the payer's pages with Lighthouse, on the phone that it simulates: see ../README.md. */
import { execFile } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { withDatabases } from "../../drills/fuzz/target.ts";
import { LAUNCH, sharedBrowser } from "../../../test/support/browser.ts";
import { freePorts } from "../../../test/support/process.ts";
import { startServiceOn } from "../../../test/support/service.ts";
import { openShowcase } from "../showcase.ts";

const LEAST = 95;
const PAGES = ["first-page", "pix-code", "paid-pix", "paid-card"];
const CATEGORIES = ["performance", "accessibility"] as const;
const PATIENCE_MS = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
// Apart from the packages of every install, of which it would be a sixth.
const FOLDER = join(import.meta.dirname, "..", "..", "..", ".cache", "lighthouse");
const PROGRAM = join(FOLDER, "node_modules", "lighthouse", "cli", "index.js");

type Scores = Readonly<Record<(typeof CATEGORIES)[number], number>>;

const run = promisify(execFile);

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(import.meta.dirname, file), join(FOLDER, file));
  }
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: FOLDER });
}

/** Measures one page, in a new tab of the browser at the port. */
async function scoresOf(url: string, port: number): Promise<Scores> {
  const only = `--only-categories=${CATEGORIES.join(",")}`;
  const { stdout } = await run(
    process.execPath,
    [PROGRAM, url, `--port=${port}`, "--output=json", "--quiet", only],
    { maxBuffer: OUTPUT_BYTES_MAX, timeout: PATIENCE_MS },
  );
  const { categories, runtimeError } = JSON.parse(stdout) as {
    categories: Record<string, { score: number | null }>;
    runtimeError?: { message: string };
  };
  if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`);
  const score = (name: string): number => Math.round((categories[name]?.score ?? 0) * 100);
  return { performance: score("performance"), accessibility: score("accessibility") };
}

await install();
const [port = 0] = await freePorts(1);
const browser = await chromium.launch({
  ...LAUNCH,
  args: [...LAUNCH.args, `--remote-debugging-port=${port}`],
});
const rows: { page: string; scores: Scores }[] = [];
await withDatabases(async (newDatabase) => {
  const url = await newDatabase();
  const showcase = await openShowcase(async (settings) => await startServiceOn(url, "direct", settings));
  try {
    for (const page of PAGES) {
      const { address = "" } = showcase.payer.find(({ name }) => name === `payer/${page}`) ?? {};
      rows.push({ page, scores: await scoresOf(new URL(address, showcase.pages.baseUrl).href, port) });
    }
  } finally {
    await showcase.close();
  }
});
await browser.close();
await (await sharedBrowser()).close();
for (const { page, scores } of rows)
  console.log(page, ...CATEGORIES.map((name) => `${name} ${scores[name]}`));
const isWell = rows.every(({ scores }) => CATEGORIES.every((name) => scores[name] >= LEAST));
if (!isWell) console.error(`A score is below ${LEAST}.`);
process.exitCode = isWell ? 0 : 1;
