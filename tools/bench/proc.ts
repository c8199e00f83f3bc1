import { readdir, readFile } from "node:fs/promises";

// Linux counts a process's time in hundredths of a second, on every machine that Node runs on.
const TICK_US = 10_000;
const PAGE_KB = 4;
const PARENT = 1;
const OWN_TIMES = [11, 12];
const ENDED_TIMES = [13, 14];
const TIMES = [...OWN_TIMES, ...ENDED_TIMES];
const RESIDENT_PAGES = 21;

/** Returns the CPU time, in microseconds, of a process and of all that it started, as Linux counts it. */
export async function cpuMicros(pid: number): Promise<number> {
  const processes = await statsOf(await treeOf(pid));
  const ticks = processes.flatMap((fields) => TIMES.map((index) => Number(fields[index])));
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_US;
}

/** Returns the memory, in megabytes, that a process and all that it started have. */
export async function memoryMegabytes(pid: number): Promise<number> {
  const processes = await statsOf(await treeOf(pid));
  const pages = processes.map((fields) => Number(fields[RESIDENT_PAGES]));
  return (pages.reduce((sum, each) => sum + each, 0) * PAGE_KB) / 1024;
}

/** Returns the CPU time and the memory of a process alone. */
export async function ownFigures(pid: number): Promise<{ cpuMs: number; megabytes: number }> {
  const [fields = []] = await statsOf([pid]);
  const ticks = OWN_TIMES.reduce((sum, index) => sum + Number(fields[index]), 0);
  return { cpuMs: (ticks * TICK_US) / 1000, megabytes: (Number(fields[RESIDENT_PAGES]) * PAGE_KB) / 1024 };
}

/** Returns the CPU time, in microseconds, of what a process started and has waited for. */
export async function endedCpuMicros(pid: number): Promise<number> {
  const [fields = []] = await statsOf([pid]);
  return ENDED_TIMES.reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_US;
}

async function treeOf(root: number): Promise<number[]> {
  const names = await readdir("/proc");
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const pid of pids) {
    const [fields] = await statsOf([pid]);
    if (fields) parents.set(pid, Number(fields[PARENT]));
  }
  const tree = [root];
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** Returns the fields of each process after its name. One that has ended meanwhile has none. */
async function statsOf(pids: readonly number[]): Promise<string[][]> {
  const texts = await Promise.all(
    pids.map(async (pid) => await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)),
  );
  return texts
    .filter((text) => text !== undefined)
    .map((text) => text.slice(text.lastIndexOf(")") + 2).split(" "));
}
