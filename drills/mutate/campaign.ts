import { Findings } from "./findings.ts";
import type { Mutant } from "./instrument.ts";
import type { Entry } from "./journal.ts";
import type { Part } from "./parts.ts";
import type { Tester } from "./tester.ts";

/** How many mutants a process of the fresh kind takes at most, and how often a file is begun again. */
const BATCH = 12;
const RESTARTS_MAX = 15;
/** Quick tests first: what they kill, slow ones need not try. */
const ROUNDS_MS = [250, 5000];
/** No test is that quick: each only shows which mutants it reaches. */
const LOOK_MS = [-1];

/** Tries all mutants with all test files: on warm services first, then the few that need it on fresh ones. */
export async function tryMutants(
  testers: readonly Tester[],
  mutants: readonly Mutant[],
  { tests: testFiles, isKept = false }: Pick<Part, "tests" | "isKept">,
  print: (line: string) => void,
): Promise<Findings> {
  const findings = new Findings();
  const started = Date.now();
  const left = (): number => mutants.filter(({ id }) => findings.isLeft(id)).length;
  const note = (text: string): void =>
    print(`${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${text}: ${left()} left`);
  await Promise.all(
    testers.map(async (tester, index) => {
      const own = mutants.filter((_, at) => at % testers.length === index).map(({ id }) => id);
      for (const longestMs of isKept ? LOOK_MS : ROUNDS_MS) {
        for (const file of testFiles) {
          await warm(tester, file, own, longestMs, findings);
          note(isKept ? file : `${file}, tests up to ${longestMs} ms`);
        }
      }
    }),
  );
  const waiting = mutants.map(({ id }) => id).filter((id) => findings.needsFresh(id));
  for (const file of testFiles) {
    const reached = waiting.filter((id) => findings.isLeft(id) && findings.testsFor(file, id).length > 0);
    const batches: string[][] = [];
    for (let at = 0; at < reached.length; at += BATCH) batches.push(reached.slice(at, at + BATCH));
    await Promise.all(
      testers.map(async (tester) => {
        for (let batch = batches.shift(); batch; batch = batches.shift())
          await fresh(tester, file, batch, findings);
      }),
    );
    if (reached.length > 0) note(`${file}, loaded anew`);
  }
  return findings;
}

async function warm(
  tester: Tester,
  file: string,
  own: readonly string[],
  longestMs: number,
  findings: Findings,
): Promise<void> {
  for (let starts = 0, broken = 0; starts < RESTARTS_MAX; starts++) {
    const mutants = own.filter((id) => findings.isLeft(id));
    if (mutants.length === 0) return;
    const tried = findings.triedIn(file);
    const { entries, stalled } = await tester.run(file, {
      kind: "warm",
      longestMs,
      mutants,
      tried,
      tests: {},
    });
    const open = findings.add(file, entries);
    for (const entry of entries) {
      if (entry.kind === "begin") findings.markTried(entry.mutant);
      if (entry.kind === "killed" || entry.kind === "timeout") findings.bury(entry.mutant, entry.kind);
    }
    if (open !== undefined) findings.bury(open, stalled ? "timeout" : "killed");
    const failure = brokenBy(entries);
    const suspects = beforeBreak(entries);
    for (const mutant of suspects) findings.suspect(mutant);
    if (failure && suspects.length === 0 && ++broken > 1) throw failure;
    if (!failure && entries.some(({ kind }) => kind === "end")) return;
  }
}

async function fresh(
  tester: Tester,
  file: string,
  batch: readonly string[],
  findings: Findings,
): Promise<void> {
  const tests: Record<string, readonly string[]> = {};
  for (const id of batch) {
    const wanted = findings.testsFor(file, id);
    if (wanted !== "all") tests[id] = wanted;
  }
  const { entries, stalled } = await tester.run(file, {
    kind: "fresh",
    longestMs: 0,
    mutants: batch,
    tried: {},
    tests,
  });
  const open = findings.add(file, entries);
  const judged = entries.flatMap((entry) =>
    entry.kind === "killed" || entry.kind === "timeout" || entry.kind === "survived" ? [entry] : [],
  );
  const failure = brokenBy(entries);
  if (failure && judged.length === 0) throw failure;
  // Something broke the process for those after it: each by itself.
  if (failure && batch.length > 1) {
    for (const id of batch) await fresh(tester, file, [id], findings);
    return;
  }
  for (const { kind, mutant } of judged) if (kind !== "survived") findings.bury(mutant, kind);
  if (open === undefined) return;
  findings.bury(open, stalled ? "timeout" : "killed");
  const after = batch.slice(batch.indexOf(open) + 1);
  if (after.length > 0) await fresh(tester, file, after, findings);
}

/** The mutants of the test after which another failed without any: one of them may have broken the service. */
function beforeBreak(entries: readonly Entry[]): string[] {
  const end = entries.findIndex(({ kind }) => kind === "broken");
  const before = entries.slice(0, Math.max(end, 0));
  const lastTest = before.findLast((entry) => entry.kind === "begin");
  return before.flatMap((entry) =>
    entry.kind === "begin" && lastTest?.kind === "begin" && entry.test === lastTest.test
      ? [entry.mutant]
      : [],
  );
}

function brokenBy(entries: readonly Entry[]): Error | undefined {
  const entry = entries.find(({ kind }) => kind === "broken");
  if (entry?.kind === "broken")
    return new Error(`${entry.test} fails without a mutant: ${entry.message.slice(0, 500)}`);
  return entries.length === 0 ? new Error("the test process wrote nothing") : undefined;
}
