/** Measures what commands, starts and an idle process cost, in alternating rounds over one or two checkouts. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { endedCpuMicros, ownFigures } from "./proc.ts";
import { freePort } from "./server.ts";
import { HERE } from "./stage.ts";
import { spreadOf, textOf } from "./statistics.ts";

const HELP = `npm run bench:start -- [options]

  --rounds N        how often each is measured: 7
  --against FOLDER  another checkout of this service, with its packages, measured in turns with this one
  --packages        what importing each package alone costs a bare process, and nothing else
`;
const COMMANDS = [["--help"], ["keys", "--help"], ["keys", "list", "--tenant", "ten_none"]];
const REPEATS = 5;
const START_MS = 60_000;
const LOOK_MS = 5;
const IDLE_MS = 15_000;
// A program, and files for browsers.
const NOT_IMPORTED = new Set(["node", "htmx.org"]);
const IMPORT = `import { enableCompileCache } from "node:module";
enableCompileCache(".cache/compiled");
await import(process.argv[1]);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, megabytes: process.memoryUsage.rss() / 2 ** 20 }));`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    against: { type: "string" },
    packages: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else if (values.packages) await measurePackages(Number(values.rounds));
else await main(Number(values.rounds));

/** A checkout with a data folder of its own. */
interface Checkout {
  readonly name: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly probe: string;
}

/** A service that is ready. Time and memory are those of its own process, without PostgreSQL. */
interface Started {
  readonly child: ChildProcess;
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function main(rounds: number): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), "paylink-start-"));
  const folders = [HERE, ...(values.against === undefined ? [] : [resolve(values.against)])];
  const figures = new Map<string, number[]>();
  try {
    const checkouts = await Promise.all(
      folders.map(async (folder, index) => await checkoutAt(folder, index === 0 ? "ours" : "against", data)),
    );
    // The first start makes the database, and the caches of what is compiled.
    for (const checkout of checkouts) await stop((await start(checkout)).child);
    for (let round = 0; round < rounds; round++) {
      for (const checkout of checkouts) {
        for (const [name, value] of Object.entries(await measure(checkout))) {
          const key = `${name.padEnd(36)} ${checkout.name}`;
          figures.set(key, [...(figures.get(key) ?? []), value]);
        }
      }
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
  for (const key of [...figures.keys()].toSorted()) {
    console.log(`${key.padEnd(46)} ${textOf(spreadOf(figures.get(key) ?? []), 0)}`);
  }
}

async function checkoutAt(folder: string, name: string, data: string): Promise<Checkout> {
  const [port, corePort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    PORT: String(port),
    CORE_PORT: String(corePort),
    CORE_HTTP_PORT: "0",
    METRICS_PORT: String(metricsPort),
    DATA_DIR: join(data, name),
    LOG_LEVEL: "silent",
  };
  return { name, folder, env, probe: `http://127.0.0.1:${metricsPort}/readyz` };
}

/** Returns the figures of one round. */
async function measure(checkout: Checkout): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const { child, wallMs, cpuMs } = await start(checkout);
  figures["second start: ms to ready"] = wallMs;
  figures["second start: ms of CPU to ready"] = cpuMs;
  figures["second start: MB at ready"] = (await ownFigures(child.pid as number)).megabytes;
  for (const words of COMMANDS) {
    const { wallMs: wall, cpuMs: cpu } = await commandCost(checkout, words);
    figures[`paylink ${words.slice(0, 2).join(" ")}: ms`] = wall;
    figures[`paylink ${words.slice(0, 2).join(" ")}: ms of CPU`] = cpu;
  }
  await delay(IDLE_MS);
  figures["idle: MB"] = (await ownFigures(child.pid as number)).megabytes;
  await stop(child);
  return figures;
}

async function start({ folder, env, probe }: Checkout): Promise<Started> {
  const startedMs = performance.now();
  const child = spawn(join(folder, "cli", "bin", "paylink"), ["serve"], { env, stdio: "ignore" });
  while (!(await isReady(probe))) {
    if (child.exitCode !== null) throw new Error(`${folder} does not start`);
    if (performance.now() - startedMs > START_MS) throw new Error(`${folder} is not ready in time`);
    await delay(LOOK_MS);
  }
  const wallMs = performance.now() - startedMs;
  return { child, wallMs, cpuMs: (await ownFigures(child.pid as number)).cpuMs };
}

async function isReady(probe: string): Promise<boolean> {
  return await fetch(probe).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill();
  await gone;
}

/** Returns what a command costs. A command that is refused costs the same. */
async function commandCost(
  { folder, env }: Checkout,
  words: readonly string[],
): Promise<Pick<Started, "wallMs" | "cpuMs">> {
  const before = await endedCpuMicros(process.pid);
  const startedMs = performance.now();
  for (let repeat = 0; repeat < REPEATS; repeat++)
    spawnSync(join(folder, "cli", "bin", "paylink"), words, { env });
  const wallMs = (performance.now() - startedMs) / REPEATS;
  return { wallMs, cpuMs: ((await endedCpuMicros(process.pid)) - before) / 1000 / REPEATS };
}

/** Prints what importing each package of the manifest alone adds to a bare process, in milliseconds of CPU and in memory. */
async function measurePackages(rounds: number): Promise<void> {
  const manifest = JSON.parse(await readFile(join(HERE, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const names = [
    "node:path",
    ...Object.keys(manifest.dependencies).filter((name) => !NOT_IMPORTED.has(name)),
  ];
  const figures = new Map(names.map((name) => [name, [] as Cost[]]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) figures.get(name)?.push(importCost(name));
  const [bare] = names.map((name) => mediansOf(figures.get(name) ?? []));
  for (const name of names.slice(1)) {
    const { cpuMs, megabytes } = mediansOf(figures.get(name) ?? []);
    const more = [cpuMs - (bare?.cpuMs ?? 0), megabytes - (bare?.megabytes ?? 0)];
    console.log(`${name.padEnd(34)}${more.map((value) => value.toFixed(1).padStart(8)).join("")}`);
  }
}

interface Cost {
  readonly cpuMs: number;
  readonly megabytes: number;
}

function importCost(name: string): Cost {
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", IMPORT, name], {
    cwd: HERE,
  });
  return JSON.parse(String(stdout)) as Cost;
}

function mediansOf(costs: readonly Cost[]): Cost {
  return {
    cpuMs: spreadOf(costs.map(({ cpuMs }) => cpuMs)).median,
    megabytes: spreadOf(costs.map(({ megabytes }) => megabytes)).median,
  };
}
