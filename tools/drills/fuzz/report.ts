import { table } from "../table.ts";
import type { Result } from "./run.ts";

const TITLES = ["part", "runs", "requests", "taken", "refused", "failed", "closed", "seconds", "failures"];

/** The table of all parts; those of the same name are added up. */
export function report(results: readonly Result[]): string {
  const rows = [...Map.groupBy(results, ({ part }) => part)].map(([part, same]) => {
    const sum = (of: (result: Result) => number): number =>
      same.reduce((total, result) => total + of(result), 0);
    return [
      part,
      sum(({ runs }) => runs),
      sum(({ requests }) => requests),
      sum(({ counts }) => counts.taken),
      sum(({ counts }) => counts.refused),
      sum(({ counts }) => counts.failed),
      sum(({ counts }) => counts.closed),
      (sum(({ tookMs }) => tookMs) / 1000).toFixed(1),
      same.filter(({ failure }) => failure !== undefined).length,
    ].map(String);
  });
  return table(TITLES, rows);
}
