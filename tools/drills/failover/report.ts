import { table } from "../table.ts";
import type { RoundResult } from "./result.ts";

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

const COLUMNS: readonly (readonly [string, (result: RoundResult) => string])[] = [
  ["fault", ({ fault }) => fault],
  ["gap s", ({ gapMs }) => seconds(gapMs)],
  ["rejoin s", ({ rejoinGapMs }) => seconds(rejoinGapMs)],
  ["acknowledged", ({ log }) => String(log.acknowledged.length)],
  ["lost", ({ lost }) => String(lost)],
  ["changed", ({ changed }) => String(changed)],
  ["doubled", ({ doubled }) => String(doubled)],
  ["undecided", ({ undecided }) => String(undecided)],
  ["unexpected", ({ log }) => String(log.unexpected.length)],
  ["split brain", ({ splitBrain }) => String(splitBrain)],
  ["readyz s", ({ readyzMs }) => seconds(readyzMs)],
  ["list s", ({ listMs }) => seconds(listMs)],
  ["write s", ({ log }) => seconds(log.longestAttemptMs)],
];

/** The rounds as a table, and for each fault the median gap and its spread. */
export function report(results: readonly RoundResult[]): string {
  const rows = results.map((result) => COLUMNS.map(([, cell]) => cell(result)));
  const lines = Map.groupBy(results, ({ fault }) => fault)
    .entries()
    .map(([fault, rounds]) => {
      const gaps = rounds.map(({ gapMs }) => gapMs).toSorted((a, b) => a - b);
      const median = seconds(gaps[Math.floor(gaps.length / 2)] ?? 0);
      return `${fault}: gap ${median} s (${seconds(gaps[0] ?? 0)} to ${seconds(gaps.at(-1) ?? 0)}), ${rounds.length} rounds`;
    });
  const acknowledged = results.reduce((sum, { log }) => sum + log.acknowledged.length, 0);
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  return [
    table(
      COLUMNS.map(([title]) => title),
      rows,
    ),
    "",
    ...lines,
    `lost: ${lost} of ${acknowledged} acknowledged`,
  ].join("\n");
}

/** What a merchant saw meanwhile, and what was unexpected, in a line or a few. */
export function roundNotes({ log, isHealed }: RoundResult): string {
  const retried = [...log.retried].map(([reason, count]) => `${count} of ${reason}`).join(", ") || "none";
  const unexpected = log.unexpected
    .slice(0, 3)
    .map(({ operation, status, text }) => `unexpected: ${operation.path} answered ${status} ${text}`);
  const faults = log.internalErrors.slice(0, 3).map((text) => `answered 500: ${text}`);
  const healed = isHealed ? [] : ["the cluster did not heal; the keys were not asked again"];
  return [`attempts that were asked again: ${retried}`, ...faults, ...unexpected, ...healed].join("\n");
}
