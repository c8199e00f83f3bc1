import { setTimeout as passes } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Fault } from "./faults.ts";
import { Load } from "./load.ts";
import { Receiver } from "./receiver.ts";
import type { Topology } from "./topology.ts";
import { isClean, judge, replayAll, type Verdict } from "./verdict.ts";
import { createEndpoints, untilDelivered } from "./webhooks.ts";

const QUIET_MS = 500;
// After a clock was days ahead, keys are let go although what they made is new.
const WITHOUT_KEYS = ["resource without a stored answer"];

interface Row {
  readonly fault: string;
  runs: number;
  acknowledged: number;
  gapMs: number;
  lost: number;
  changed: number;
  broken: number;
}

/** Makes the faults one after the other under load for so long, and each once at least. Returns whether all held. */
export async function runFaults(
  topology: Topology,
  faults: readonly Fault[],
  random: Random,
  seconds: number,
): Promise<boolean> {
  const receiver = new Receiver();
  await createEndpoints(topology, await receiver.listen());
  const rows = new Map<string, Row>();
  const problems: string[] = [];
  const keeping = faults.filter(({ letsKeysGo }) => !letsKeysGo);
  const deadline = performance.now() + seconds * 1000;
  do {
    for (const fault of keeping) {
      await round(topology, fault, random, rows, problems, []);
      if (performance.now() > deadline && rows.size >= keeping.length) break;
    }
  } while (performance.now() < deadline);
  for (const fault of faults.filter(({ letsKeysGo }) => letsKeysGo))
    await round(topology, fault, random, rows, problems, WITHOUT_KEYS);
  const undelivered = await untilDelivered(topology, receiver);
  if (undelivered > 0) problems.push(`${undelivered} events were not delivered`);
  await receiver.close();
  console.table([...rows.values()]);
  for (const problem of problems) console.error(problem);
  const total = [...rows.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  console.log(`${total} acknowledged, ${receiver.taken.size} events delivered, ${problems.length} problems`);
  return problems.length === 0;
}

async function round(
  topology: Topology,
  fault: Fault,
  random: Random,
  rows: Map<string, Row>,
  problems: string[],
  except: readonly string[],
): Promise<void> {
  const isFirst = !rows.has(fault.name);
  const row = rows.get(fault.name) ?? {
    fault: fault.name,
    runs: 0,
    acknowledged: 0,
    gapMs: 0,
    lost: 0,
    changed: 0,
    broken: 0,
  };
  rows.set(fault.name, row);
  const reason = fault.impossible?.(topology);
  if (reason !== undefined) {
    if (isFirst) console.log(`${fault.name}: left out, ${reason}`);
    return;
  }
  const load = new Load(topology, random.fork(), `${fault.name.replaceAll(/\W+/g, "_")}-${row.runs}`);
  const fromMs = performance.now();
  await passes(QUIET_MS);
  await fault.run(topology, (below) => random.integer(0, below - 1));
  await topology.heal();
  await passes(QUIET_MS);
  const toMs = performance.now();
  await load.stop();
  const { acknowledged, unexpected, undecided } = load.log;
  const verdict: Verdict = await judge(topology, fault.letsKeysGo ? [] : acknowledged, except);
  const changed = fault.letsKeysGo ? [] : await replayAll(load, acknowledged);
  load.close();
  row.runs++;
  row.acknowledged += acknowledged.length;
  row.gapMs = Math.max(row.gapMs, Math.round(load.log.gapMs(fromMs, toMs)));
  row.lost += verdict.missing.length;
  row.changed += changed.length;
  row.broken += verdict.broken.length;
  const found = { ...verdict, changed };
  if (!isClean(found)) problems.push(`${fault.name}: ${JSON.stringify(found)}`);
  if (undecided.length > 0)
    problems.push(`${fault.name}: no definite answer for ${undecided.slice(0, 5).join(", ")}`);
  if (!fault.movesClock) {
    for (const { operation, status, text } of unexpected.slice(0, 5))
      problems.push(`${fault.name}: ${operation.kind} was answered ${status} ${text}`);
  }
}
