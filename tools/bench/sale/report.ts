import type { Sample } from "../round.ts";
import { spreadOf, textOf, type Spread } from "../statistics.ts";
import { STEPS, type Kind } from "./chain.ts";
import type { SaleSample } from "./round.ts";

const TITLES: Readonly<Record<Kind, string>> = {
  quote: "a sale by a quote",
  link: "a sale by a bare link",
};
const COLUMNS =
  "server      sales and events/s      requests/s  Node us a sale          PostgreSQL us a sale    MB";

/** The rounds of each service under one kind of sale, in one state of the process. This service is first. */
export interface SaleComparison {
  readonly kind: Kind;
  readonly state: string;
  readonly sellers: number;
  readonly samples: Readonly<Record<string, readonly SaleSample[]>>;
}

/** Rounds of one step alone. */
export interface StepComparison {
  readonly step: string;
  readonly title: string;
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

/** Returns the figures of one kind of sale as lines for a terminal. */
export function saleText({ kind, state, sellers, samples }: SaleComparison): string {
  const servers = Object.entries(samples);
  const rows = servers.map(([server, list]) =>
    [
      server.padEnd(10),
      textOf(
        spreadBy(list, (one) => one.salesPerSecond),
        0,
      ).padEnd(22),
      spreadBy(list, (one) => one.requestsPerSecond)
        .median.toFixed(0)
        .padStart(10),
      textOf(
        spreadBy(list, (one) => one.nodeUs),
        0,
      ).padEnd(22),
      textOf(
        spreadBy(list, (one) => one.postgresUs),
        0,
      ).padEnd(22),
      spreadBy(list, (one) => one.memoryMb).median.toFixed(0),
    ].join("  "),
  );
  const [[, own] = ["", []], ...others] = servers;
  const ratios = others.map(([server, theirs]) => {
    const each = own.map((one, index) => one.salesPerSecond / (theirs[index]?.salesPerSecond ?? Number.NaN));
    return `ratio of sales/s to ${server} ${textOf(spreadOf(each), 2)}`;
  });
  const steps = STEPS.filter((step) => own[0]?.steps[step]).map((step) => {
    const times = servers.map(([, list]) => {
      const p50 = spreadBy(list, (one) => one.steps[step]?.p50Ms ?? Number.NaN).median;
      const p99 = spreadBy(list, (one) => one.steps[step]?.p99Ms ?? Number.NaN).median;
      return `${p50.toFixed(1).padStart(12)}${p99.toFixed(1).padStart(9)}`;
    });
    return `${step.padEnd(10)}${times.join("")}`;
  });
  const names = servers.map(([name]) => `${`${name} p50`.padStart(12)}${"p99 ms".padStart(9)}`);
  const header = `${"step".padEnd(10)}${names.join("")}`;
  const title = `\n${TITLES[kind]}, ${sellers} sellers, ${state}`;
  return [title, COLUMNS, ...rows, ...ratios, header, ...steps].join("\n");
}

function spreadBy(samples: readonly SaleSample[], pick: (sample: SaleSample) => number): Spread {
  return spreadOf(samples.map(pick));
}

/** Returns what each step costs alone, in CPU time of Node and PostgreSQL and in creates of the same service and round. */
export function stepsText(comparisons: readonly StepComparison[], sales: readonly SaleComparison[]): string {
  const creates = comparisons.find(({ step }) => step === "create")?.samples ?? {};
  const lines = comparisons.flatMap(({ title, samples }) =>
    Object.entries(samples).map(([server, list]) => {
      const inCreates = list.map((one, index) => cpuOf(one) / cpuOf(creates[server]?.[index]));
      const cpu = textOf(spreadOf(list.map(cpuOf)), 0);
      return `${server.padEnd(8)}${title.padEnd(60)}${cpu.padEnd(24)}${textOf(spreadOf(inCreates), 2)}`;
    }),
  );
  const whole = sales.flatMap(({ kind, state, samples }) =>
    Object.entries(samples).map(([server, list]) => {
      const create = spreadOf((creates[server] ?? []).map(cpuOf)).median;
      const spread = spreadOf(list.map(cpuOf));
      const inCreates = spreadOf(list.map((one) => cpuOf(one) / create));
      const title = `${TITLES[kind]}, ${state}`;
      return `${server.padEnd(8)}${title.padEnd(60)}${textOf(spread, 0).padEnd(24)}${textOf(inCreates, 2)}`;
    }),
  );
  return ["\nCPU us of Node and PostgreSQL together, and in creates, warm", ...lines, ...whole].join("\n");
}

function cpuOf(sample: Pick<Sample, "nodeUs" | "postgresUs"> | undefined): number {
  return sample ? sample.nodeUs + sample.postgresUs : Number.NaN;
}
