import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Instrumenter, type InstrumenterOptions } from "@stryker-mutator/instrumenter";
import { sqlMutator } from "./sql-mutator.ts";

/** A change of one expression, which the instrumented file makes while `__stryker__.activeMutant` is its id. */
export interface Mutant {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** The line of source that it begins in. */
  readonly source: string;
}

const LENGTH_MAX = 160;

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Path {
  readonly node: { readonly type: string; readonly key?: { readonly name?: string } };
  readonly parent?: { readonly type: string; readonly callee?: { readonly name?: string } };
}

const log = (): void => {};
const LOGGER = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: log,
  debug: log,
  info: log,
  warn: log,
  error: log,
  fatal: log,
};

/** What no caller can see is not mutated: the name of a prepared statement, the text of a fault of ours. */
const OPTIONS: InstrumenterOptions = {
  plugins: null,
  excludedMutations: [],
  ignorers: [
    {
      shouldIgnore: (path) => {
        const { node, parent } = path as Path;
        const isStatementName =
          node.type === "ObjectProperty" && node.key?.name === "name" && isBesideText(path);
        const isFault = parent?.type === "NewExpression" && parent.callee?.name === "Error";
        return isStatementName || isFault ? "not visible" : undefined;
      },
    },
  ],
};

function isBesideText(path: object): boolean {
  const { parent } = path as { parent?: { properties?: readonly Path["node"][] } };
  return parent?.properties?.some(({ key }) => key?.name === "text") ?? false;
}

/** Adds our mutator to Stryker's list, which its package does not export. */
async function addSqlMutator(): Promise<void> {
  const url = new URL("mutators/mutate.js", import.meta.resolve("@stryker-mutator/instrumenter"));
  const { allMutators } = (await import(url.href)) as { allMutators: unknown[] };
  if (!allMutators.includes(sqlMutator)) allMutators.push(sqlMutator);
}

/** Puts all mutants of the files into them, each behind a switch. Answers those that are to be tested. */
export async function instrument(root: string, files: readonly string[]): Promise<Mutant[]> {
  await addSqlMutator();
  const sources = new Map<string, string>();
  for (const file of files) sources.set(file, await readFile(join(root, file), "utf8"));
  const given = [...sources].map(([name, content]) => ({ name, content, mutate: true }));
  const result = await new Instrumenter(LOGGER).instrument(given, OPTIONS);
  for (const { name, content } of result.files) await writeFile(join(root, name), content);
  return result.mutants
    .filter(({ status }) => status !== "Ignored")
    .map(({ id, fileName, location, mutatorName, replacement }) => {
      const lines = (sources.get(fileName) ?? "").split("\n");
      return {
        id,
        file: fileName,
        line: location.start.line + 1,
        mutator: mutatorName,
        original: textBetween(lines, location.start, location.end),
        replacement: oneLine(replacement),
        source: oneLine(lines[location.start.line] ?? ""),
      };
    });
}

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const chosen = lines.slice(start.line, end.line + 1);
  chosen[chosen.length - 1] = (chosen.at(-1) ?? "").slice(0, end.column);
  chosen[0] = (chosen[0] ?? "").slice(start.column);
  return oneLine(chosen.join("\n"));
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line;
}
