import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import type { StatementRates } from "./pgbench.ts";
import type { Sample } from "./round.ts";
import { spreadOf, type Spread } from "./statistics.ts";

/** One service under one workload: the spread of each figure over the rounds. */
interface Measured {
  readonly server: string;
  readonly figures: Readonly<Record<keyof Sample, Spread>>;
}

/** The services under one workload, at one number of connections, and this service's requests a second to each other's. */
export interface Comparison {
  readonly workload: string;
  readonly title: string;
  readonly connections: number;
  readonly measured: readonly Measured[];
  readonly ratios: Readonly<Record<string, Spread>>;
}

export interface Results {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly comparisons: readonly Comparison[];
  /** 99th percentile, in milliseconds, of new links at half of what the plain service can do. */
  readonly halfLoad: Readonly<Record<string, Spread>> | undefined;
  readonly statements: StatementRates | undefined;
}

interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly commit: string;
  readonly date: string;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Compares the first service with the others. Each has a sample of every round, in the rounds' order. */
export function comparisonOf(
  { name: workload, title }: { readonly name: string; readonly title: string },
  connections: number,
  samples: ReadonlyMap<string, readonly Sample[]>,
): Comparison {
  const [[, own] = ["", []], ...others] = samples;
  const ratiosTo = (theirs: readonly Sample[]): number[] =>
    own.map(({ perSecond }, index) => perSecond / (theirs[index]?.perSecond ?? Number.NaN));
  return {
    workload,
    title,
    connections,
    measured: [...samples].map(([server, list]) => ({ server, figures: figuresOf(list) })),
    ratios: Object.fromEntries(others.map(([server, theirs]) => [server, spreadOf(ratiosTo(theirs))])),
  };
}

function figuresOf(samples: readonly Sample[]): Measured["figures"] {
  const of = (pick: keyof Sample): Spread => spreadOf(samples.map((sample) => sample[pick]));
  return {
    perSecond: of("perSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    nodeUs: of("nodeUs"),
    postgresUs: of("postgresUs"),
    memoryMb: of("memoryMb"),
  };
}
