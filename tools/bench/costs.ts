import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Options with which Node writes a profile into a folder when it ends. */
export interface Profile {
  readonly folder: string;
  readonly nodeOptions: readonly string[];
}

interface ProfileFile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SHOWN = 40;
const IDLE = "(idle)";

export async function newProfile(): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-profile-"));
  return { folder, nodeOptions: ["--cpu-prof", `--cpu-prof-dir=${folder}`] };
}

/** Returns the functions with the most time of their own, each with its share of the time that was not idle. */
export async function costsText({ folder }: Profile): Promise<string> {
  const [file = ""] = await readdir(folder);
  const { nodes, samples, timeDeltas } = JSON.parse(
    await readFile(join(folder, file), "utf8"),
  ) as ProfileFile;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? IDLE;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  times.delete(IDLE);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const largest = [...times].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  const lines = largest.map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
  return [`${folder}: own time of functions`, ...lines].join("\n");
}

function nameOf({ functionName, url, lineNumber }: ProfileFile["nodes"][number]["callFrame"]): string {
  if (functionName === IDLE) return IDLE;
  const place = url
    .replace(/^.*\/node_modules\//, "")
    .replace(/^file:\/\/.*?\/(?=src|gateway|contract|cli|gen)/, "");
  return `${functionName || "(anonymous)"} ${place === "" ? "" : `${place}:${lineNumber + 1}`}`;
}
