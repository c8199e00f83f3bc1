import { until } from "../../../tools/drills/failover/waiting.ts";
import { Doomed } from "../../live-pix/doomed.ts";
import { DatabaseRows } from "../../support/database-rows.ts";
import { isInFull, times } from "../../support/scale.ts";
import type { AtProvider, KilledMerchant, KilledProvider } from "./killed-provider.ts";
import { WORKS, type Scene, type Work, type WorkName } from "./works.ts";

const TASKS = ["answerCallbacks", "checkCharges", "checkRefunds"] as const;
// An issuer that was not asked is certain after two looks and two minutes.
const PASSES = [31, 100, 3700];
const LIMIT_MS = 60_000;

/** A step at which a process is killed: before a call is carried out, after that without its answer, or within a commit. */
type Step =
  | { readonly call: string; readonly earlier: number; readonly kind: "hang" | "silent" }
  | { readonly commit: number };

const OF_BEGINNINGS = /^(?:link\.|payment\.pending$)/;

/** What all that a merchant has came to: here, and at the provider. */
export interface Outcome {
  readonly payments: readonly string[];
  /** Ids of the money that payments and exceptions have. */
  readonly money: number;
  readonly entries: readonly string[];
  /** Those of a payment's end and of what follows. */
  readonly events: readonly string[];
  readonly exceptions: number;
  readonly at: AtProvider;
}

function nameOf(work: WorkName, step: Step): string {
  if ("commit" in step) return `${work}: in commit ${step.commit}`;
  const { call, earlier, kind } = step;
  return `${work}: ${kind === "hang" ? "before" : "after"} ${call}${earlier === 0 ? "" : ` ${earlier + 1}`}`;
}

/**
 * Does a work to its end. Returns each step of it: before and after each call, and within each commit. In short, without
 * those at which both sides are as at another step: what only reads changes nothing, and what follows a call is a commit.
 * Of a list that is read in parts, the last one counts.
 */
async function stepsOf({ provider, process }: Scene, { of, act }: Work): Promise<Step[]> {
  const from = provider.requests.length;
  const commits = await process.stops.commitsOf(of.tenant.id);
  await act();
  const calls = provider.requests.slice(from);
  const kinds = times(["hang", "silent"] as const, ["hang"] as const);
  const inCalls = calls.flatMap(({ call: name, method }, index) => {
    const call = name ?? "";
    const earlier = calls.slice(0, index).filter((one) => one.call === name).length;
    const isPart = method === "GET" && calls[index + 1]?.call === name;
    const isLeftOut = isPart || (method === "GET" && !isInFull());
    return isLeftOut ? [] : kinds.map((kind) => ({ call, earlier, kind }));
  });
  const inCommits = Array.from({ length: await commits() }, (_, index) => ({ commit: index + 1 }));
  return [...inCalls, ...inCommits];
}

/** Brings a work to a step, where it stays. */
async function bring({ provider, process }: Scene, { of, act }: Work, step: Step): Promise<void> {
  if ("commit" in step) {
    await process.stops.atCommit(step.commit, of.tenant.id);
    void act().catch(() => undefined);
    return await process.stops.reached();
  }
  const { requests } = provider;
  const from = requests.length;
  provider.fail(step.call, step.kind, step.earlier);
  void act().catch(() => undefined);
  const isSilent = (): boolean => requests.slice(from).some(({ status }) => status === null);
  await until(`an unanswered ${step.call}`, LIMIT_MS, async () => await Promise.resolve(isSilent()));
}

async function outcomeOf({ provider, rows }: Omit<Scene, "process">, of: KilledMerchant): Promise<Outcome> {
  const texts = async (text: string, from: string): Promise<string[]> => {
    const sql = `SELECT ${text} AS text FROM live.${from} WHERE tenant_id = $1 ORDER BY text`;
    return (await rows.read(sql, [of.tenant.id])).map((row) => String(row["text"]));
  };
  const entries = await texts("kind", "ledger_entry");
  return {
    payments: await texts("status", "payment"),
    money: await rows.count("live.taken_receipt WHERE tenant_id = $1", [of.tenant.id]),
    entries: entries.filter((kind) => kind !== "settlement"),
    events: (await texts("type", "event")).filter((type) => !OF_BEGINNINGS.test(type)),
    exceptions: await rows.count("live.payment_exception WHERE tenant_id = $1", [of.tenant.id]),
    at: provider.at(of),
  };
}

/** Kills one process at every step of these works, and returns what each came to after a restart. */
export async function killedAt(
  provider: KilledProvider,
  works: readonly WorkName[],
): Promise<Record<string, Outcome>> {
  const { service } = provider;
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const process = await Doomed.start({ service, rows, requests: provider.requests });
  const scene = { provider, process, rows };
  const left: [name: string, Work][] = [];
  const steps: [WorkName, Step][] = [];
  // What stays at a step may go on with what is begun after it.
  for (const name of works) {
    const whole = await WORKS[name](scene);
    for (const step of await stepsOf(scene, whole)) steps.push([name, step]);
    left.push([`${name}: at its end`, whole]);
  }
  for (const [name, step] of steps) {
    const work = await WORKS[name](scene);
    await bring(scene, work, step);
    left.push([nameOf(name, step), work]);
  }
  await process.kill();
  for (const seconds of PASSES) {
    await Promise.all(left.map(async ([, { again }]) => await again?.()));
    service.clock.advance(seconds);
    provider.advance(seconds);
    for (const task of TASKS) await service.core.tasks[task]().catch(() => undefined);
  }
  // Faults after a kill are no failures.
  service.faults.length = 0;
  const outcomes: Record<string, Outcome> = {};
  for (const [name, { of }] of left) outcomes[name] = await outcomeOf(scene, of);
  await rows.close();
  return outcomes;
}
