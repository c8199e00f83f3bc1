import { setTimeout as passes } from "node:timers/promises";
import { fillDisk } from "./full-disk.ts";
import type { Topology } from "./topology.ts";

/** Picks numbers from the seed, from 0 up to but without `below`. */
type Draw = (below: number) => number;

/** Something that breaks for a while. What it breaks is whole again, or about to be, when it resolves. */
export interface Fault {
  readonly name: string;
  readonly run: (topology: Topology, draw: Draw) => Promise<void>;
  /** Why this machine cannot have it; undefined if it can. */
  readonly impossible?: (topology: Topology) => string | undefined;
  /** Requests can be refused by the time that it is. */
  readonly movesClock?: boolean;
  /** The clock goes past the 24 hours of keys: what was acknowledged is not asked again afterwards. */
  readonly letsKeysGo?: boolean;
}

const LASTS_MS = 2000;
const HOUR_MS = 3_600_000;

const lasts = async (draw: Draw): Promise<void> => await passes(LASTS_MS / 2 + draw(LASTS_MS / 2));

/** Kills a part as the machine's power would, and starts it again. */
function killed(name: string, pick: (topology: Topology, draw: Draw) => Topology["gateway"]): Fault {
  return {
    name: `kill -9 of the ${name}`,
    run: async (topology, draw) => {
      const part = pick(topology, draw);
      await part.end("SIGKILL");
      part.start();
    },
  };
}

function frozen(name: string, pick: (topology: Topology, draw: Draw) => Topology["gateway"]): Fault {
  return {
    name: `SIGSTOP of the ${name}`,
    run: async (topology, draw) => {
      const part = pick(topology, draw);
      part.signal("SIGSTOP");
      await lasts(draw);
      part.signal("SIGCONT");
    },
  };
}

function network(name: string, passage: Parameters<Topology["proxy"]["set"]>[0]): Fault {
  return {
    name: `a network that ${name}`,
    run: async ({ proxy }, draw) => {
      proxy.set(passage);
      await lasts(draw);
      proxy.set("pass");
    },
  };
}

function clock(name: string, hours: number): Fault {
  return {
    name: `a clock that jumps ${name}`,
    movesClock: true,
    letsKeysGo: Math.abs(hours) >= 24,
    run: async (topology, draw) => {
      await topology.shiftClock(hours * HOUR_MS);
      await lasts(draw);
      await topology.shiftClock(0);
    },
  };
}

/** Two versions on one database: a part runs by the former release's code, and then by this one's again. */
function former(name: string, pick: (topology: Topology, draw: Draw) => Topology["gateway"]): Fault {
  return {
    name: `a ${name} of the former release`,
    impossible: (topology) =>
      topology.former === undefined ? "no --former names a checkout of it" : undefined,
    run: async (topology, draw) => {
      const part = pick(topology, draw);
      await part.replace(topology.former);
      await part.untilReady();
      await lasts(draw);
      await part.replace(undefined);
    },
  };
}

/** The documented upgrade: all cores in one go, which brings the database up to date, then the worker and the gateway. */
export const UPGRADE: Fault = {
  name: "the upgrade from the former release",
  run: async ({ cores, worker, gateway }, draw) => {
    await lasts(draw);
    await Promise.all(cores.map(async (core) => await core.end("SIGTERM")));
    for (const core of cores) core.start();
    await Promise.all(cores.map(async (core) => await core.untilReady()));
    for (const part of [worker, gateway]) {
      await part.replace(undefined);
      await part.untilReady();
    }
    await lasts(draw);
  },
};

const anyCore = ({ cores }: Topology, draw: Draw): Topology["gateway"] =>
  cores[draw(cores.length)] as Topology["gateway"];

/** In the order in which they are run. Those that let keys go by their time are last. */
export const FAULTS: readonly Fault[] = [
  killed("core", anyCore),
  killed("worker", ({ worker }) => worker),
  killed("gateway", ({ gateway }) => gateway),
  {
    name: "kill -9 of PostgreSQL",
    run: async ({ database }) => {
      await database.kill();
      await database.start();
    },
  },
  {
    name: "kill -9 of a PostgreSQL backend",
    run: async ({ database }) => {
      await database.killBackend();
      await database.untilReady();
    },
  },
  {
    name: "SIGSTOP of PostgreSQL",
    run: async ({ database }, draw) => {
      await database.freeze();
      await lasts(draw);
      await database.thaw();
    },
  },
  frozen("core", anyCore),
  network("swallows", "swallow"),
  network("delays", { delayMs: 150 }),
  {
    name: "a network that cuts",
    run: async ({ proxy }, draw) => {
      for (let cut = 0; cut < 5; cut++) {
        proxy.cut();
        await passes(50 + draw(200));
      }
    },
  },
  {
    name: "a full disk",
    impossible: ({ dataDisk }) => dataDisk.impossible,
    run: async ({ dataDisk }, draw) => {
      const free = await fillDisk(dataDisk.path);
      await lasts(draw);
      await free();
    },
  },
  {
    name: "a database that is read-only",
    run: async ({ database }, draw) => {
      const reload = "SELECT pg_reload_conf()";
      await database.query("ALTER SYSTEM SET default_transaction_read_only = on", reload);
      await lasts(draw);
      await database.query("ALTER SYSTEM RESET default_transaction_read_only", reload);
    },
  },
  {
    name: "connections that are used up",
    run: async ({ database, proxy }, draw) => {
      const free = await database.useConnections();
      proxy.cut();
      await lasts(draw);
      await free();
    },
  },
  former("core", anyCore),
  former("worker", ({ worker }) => worker),
  former("gateway", ({ gateway }) => gateway),
  clock("an hour ahead", 1),
  clock("an hour back", -1),
  clock("three days ahead", 72),
];
