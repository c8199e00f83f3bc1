/** Breaks a running service in every way that it must bear, and looks for what was lost or doubled: see README.md. */
import { mkdtemp, chmod, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { interruptMigrations } from "../migrations/interrupt.ts";
import { Random } from "../random.ts";
import { control } from "./control.ts";
import { FAULTS, UPGRADE } from "./faults.ts";
import { runFaults } from "./run.ts";
import { startTopology } from "./topology.ts";

const HELP = `npm run chaos -- [--seconds N] [--seed N] [--only TEXT] [--former FOLDER]
                  [--control-only] [--no-control] [--no-migrations]

  --seconds N     how long faults are made one after the other, 60 if not given; each is made once at least
  --seed N        repeats the choices of a run; a new one if not given
  --only TEXT     only the faults whose name contains it
  --former FOLDER a checkout of the former release, with its packages: an upgrade from it comes first, and its parts run
                  beside this one's
  --control-only  only the run that must lose something
  --no-control    without that run
  --no-migrations without the kills within migrations
`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
    only: { type: "string", default: "" },
    former: { type: "string" },
    "control-only": { type: "boolean", default: false },
    "no-control": { type: "boolean", default: false },
    "no-migrations": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const seed = Number(values.seed);
  console.log(`seed ${seed}`);
  const random = new Random(seed);
  if (!values["no-control"] && !(await inFolder(async (dataDir) => await control(dataDir, random.fork()))))
    return false;
  if (values["control-only"]) return true;
  const migrated =
    values["no-migrations"] ||
    (await inFolder(async (dataDir) => await interruptMigrations(dataDir, random.fork())));
  const { former } = values;
  const upgraded =
    former === undefined || (await inFolder(async (dataDir) => await upgrade(dataDir, former, random)));
  const faults = FAULTS.filter(({ name }) => name.includes(values.only));
  return await inFolder(async (dataDir) => {
    const topology = await startTopology({ dataDir, isDurable: true, former });
    try {
      return (await runFaults(topology, faults, random, Number(values.seconds))) && migrated && upgraded;
    } finally {
      await topology.close();
    }
  });
}

/** Upgrades a service and its database from the former release, under load. Returns whether all held. */
async function upgrade(dataDir: string, former: string, random: Random): Promise<boolean> {
  const topology = await startTopology({ dataDir, isDurable: true, former, beginsAsFormer: true });
  try {
    return await runFaults(topology, [UPGRADE], random, 0);
  } finally {
    await topology.close();
  }
}

/** Gives a folder that PostgreSQL's own user can enter, and removes it. */
async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-chaos-"));
  await chmod(folder, 0o711);
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
