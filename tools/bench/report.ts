import { textOf } from "./statistics.ts";
import type { Comparison, Results } from "./results.ts";

const COLUMNS = "server      requests/s                p50 ms  p99 ms  Node us  PostgreSQL us  MB";

/** Returns the figures of one comparison as lines for a terminal. */
export function comparisonText({ title, connections, measured, ratios }: Comparison): string {
  const rows = measured.map(({ server, figures }) =>
    [
      server.padEnd(10),
      textOf(figures.perSecond, 0).padEnd(24),
      figures.p50Ms.median.toFixed(0).padStart(6),
      figures.p99Ms.median.toFixed(0).padStart(6),
      figures.nodeUs.median.toFixed(0).padStart(7),
      figures.postgresUs.median.toFixed(0).padStart(13),
      figures.memoryMb.median.toFixed(0).padStart(4),
    ].join("  "),
  );
  const compared = Object.entries(ratios).map(([name, ratio]) => `to ${name} ${textOf(ratio, 2)}`);
  const last = compared.length === 0 ? [] : [`ratio of requests/s ${compared.join(", ")}`];
  return [`\n${title}, connections: ${connections}`, COLUMNS, ...rows, ...last].join("\n");
}

/** A figure that the project wants to reach, as a median of one run. */
interface Goal {
  readonly text: string;
  readonly value: number | undefined;
  readonly least?: number;
  readonly most?: number;
}

/** Returns a line for each goal with its figure. */
export function goalsText(results: Results): string {
  const lines = goalsOf(results).map(({ text, value, least, most }) => {
    if (value === undefined) return `  not measured  ${text}`;
    const isReached = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
    const bound = least === undefined ? `at most ${most?.toFixed(2)}` : `at least ${least.toFixed(2)}`;
    return `  ${isReached ? "reached    " : "not reached"}  ${text}: ${value.toFixed(2)}, ${bound}`;
  });
  return ["\ngoals", ...lines].join("\n");
}

function goalsOf({ comparisons, halfLoad, statements }: Results): Goal[] {
  const find = (workload: string, connections: number): Comparison | undefined =>
    comparisons.find((each) => each.workload === workload && each.connections === connections);
  const ratio = (workload: string, rival: string): number | undefined =>
    find(workload, 64)?.ratios[rival]?.median;
  const creates = find("create", 64);
  const own = creates?.measured[0]?.figures;
  const p99 = (server: string): number => halfLoad?.[server]?.median ?? Number.NaN;
  return [
    { text: "new links to the plain service", value: ratio("create", "plain"), least: 2.2 },
    { text: "new links to its variant of one statement", value: ratio("create", "single"), least: 1.8 },
    { text: "new links to the floor of HTTP", value: ratio("create", "floor"), least: 0.25 },
    {
      text: "new links to PostgreSQL's own, one in a statement",
      value: own && statements && own.perSecond.median / statements.one,
      least: 1,
    },
    { text: "Node's CPU time of a new link, us", value: own?.nodeUs.median, most: 110 },
    { text: "a repeated request to a new link", value: repeated(comparisons), least: 1.5 },
    ...["page100", "page100-day", "page100-years"].map((name) => ({
      text: `${find(name, 64)?.title ?? name} to the plain service`,
      value: ratio(name, "plain"),
      least: 1.5,
    })),
    { text: "GET /v1/payments, 20, to the plain service", value: ratio("page20", "plain"), least: 1.3 },
    {
      text: "99th percentile at half load, to the plain service",
      value: halfLoad && p99("ours") / p99("plain"),
      most: 1,
    },
    { text: "memory under load, MB", value: own?.memoryMb.high, most: 260 },
  ];
}

function repeated(comparisons: readonly Comparison[]): number | undefined {
  const own = (name: string): number | undefined =>
    comparisons.find(({ workload, connections }) => workload === name && connections === 64)?.measured[0]
      ?.figures.perSecond.median;
  const [again, first] = [own("replay"), own("create")];
  return again !== undefined && first !== undefined ? again / first : undefined;
}
