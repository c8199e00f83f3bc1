import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairSemaphore } from "../../contract/fair-semaphore.ts";

const REFUSED = new Error("too many wait");
const limitsOf = (total: number, perKey: number, waitingPerKey = 100, waitingTotal = 1000) => ({
  total,
  perKey,
  waitingPerKey,
  waitingTotal,
  refusal: () => REFUSED,
});

type State = "waits" | "runs" | "ended" | "refused" | "aborted";
interface Task {
  readonly key: string;
  state: State;
  readonly end: () => void;
  readonly abort: () => void;
}

/** Starts tasks at a semaphore and knows what became of each. */
class Tasks {
  readonly all: Task[] = [];
  /** The keys of the tasks, in the order in which they began. */
  readonly begun: string[] = [];
  readonly settled: Promise<void>[] = [];
  readonly #semaphore: FairSemaphore;

  constructor(semaphore: FairSemaphore) {
    this.#semaphore = semaphore;
  }

  start(key: string): Task {
    const work = Promise.withResolvers<void>();
    const controller = new AbortController();
    const task: Task = { key, state: "waits", end: work.resolve, abort: () => controller.abort() };
    const run = async (): Promise<void> => {
      task.state = "runs";
      this.begun.push(key);
      await work.promise;
      task.state = "ended";
    };
    this.settled.push(
      this.#semaphore.run(key, run, controller.signal).catch((error: unknown) => {
        task.state = error === REFUSED ? "refused" : "aborted";
      }),
    );
    this.all.push(task);
    return task;
  }

  in(state: State, key?: string): Task[] {
    return this.all.filter((task) => task.state === state && (key === undefined || task.key === key));
  }
}

/** What was begun or ended shows after the microtasks. */
const settle = async (): Promise<void> => await new Promise((resolve) => void setImmediate(resolve));

const keys = fc.constantFrom("a", "b", "c", "d");
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: keys.map((key) => ({ kind: "start" as const, key })) },
    { weight: 2, arbitrary: fc.nat().map((at) => ({ kind: "end" as const, at })) },
    fc.nat().map((at) => ({ kind: "abort" as const, at })),
  ),
  { maxLength: 60 },
);
const bounds = fc.tuple(
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1, max: 3 }),
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 6 }),
);

describe("a fair semaphore", () => {
  test("keeps its numbers, lets nothing wait that may run, and ends every task once", async () => {
    await fc.assert(
      fc.asyncProperty(bounds, steps, async ([total, perKey, waitingPerKey, waitingTotal], taken) => {
        const semaphore = new FairSemaphore(limitsOf(total, perKey, waitingPerKey, waitingTotal));
        const tasks = new Tasks(semaphore);
        const pick = (found: Task[], at: number): Task | undefined => found[at % Math.max(1, found.length)];
        for (const step of taken) {
          if (step.kind === "start") tasks.start(step.key);
          else if (step.kind === "end") pick(tasks.in("runs"), step.at)?.end();
          else pick(tasks.in("waits"), step.at)?.abort();
          await settle();
          const running = tasks.in("runs");
          expect(running.length).toBeLessThanOrEqual(total);
          expect([semaphore.running, semaphore.waiting]).toEqual([running.length, tasks.in("waits").length]);
          expect(semaphore.waiting).toBeLessThanOrEqual(waitingTotal);
          for (const key of ["a", "b", "c", "d"]) {
            const own = tasks.in("runs", key).length;
            expect(own).toBeLessThanOrEqual(perKey);
            expect(tasks.in("waits", key).length).toBeLessThanOrEqual(waitingPerKey);
            const mayRun = running.length < total && own < perKey;
            if (mayRun) expect(tasks.in("waits", key)).toEqual([]);
          }
        }
        for (let left = tasks.in("runs"); left.length > 0; left = tasks.in("runs")) {
          for (const task of left) task.end();
          await settle();
        }
        await Promise.all(tasks.settled);
        expect(tasks.all.filter(({ state }) => state === "waits" || state === "runs")).toEqual([]);
        expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
      }),
    );
  });

  test("lets keys take turns: one with much work delays another by what runs alone", async () => {
    const tasks = new Tasks(new FairSemaphore(limitsOf(2, 2)));
    for (let count = 0; count < 20; count++) tasks.start("much");
    for (const key of ["one", "two", "three"]) tasks.start(key);
    await settle();
    for (let ends = 0; ends < 6; ends++) {
      tasks.in("runs")[0]?.end();
      await settle();
    }
    expect(tasks.begun).toEqual(["much", "much", "much", "one", "two", "three", "much", "much"]);
  });

  test("gives a place among those that wait from the key with most of them", async () => {
    const tasks = new Tasks(new FairSemaphore(limitsOf(1, 1, 3, 4)));
    for (const key of ["a", "a", "a", "a", "b"]) tasks.start(key);
    await settle();
    expect([tasks.in("waits", "a").length, tasks.in("waits", "b").length]).toEqual([3, 1]);
    tasks.start("a");
    tasks.start("c");
    await settle();
    expect(tasks.in("refused").map(({ key }) => key)).toEqual(["a", "a"]);
    expect(tasks.in("waits").map(({ key }) => key)).toEqual(["a", "a", "b", "c"]);
  });

  test("runs nothing for a signal that has ended", async () => {
    const semaphore = new FairSemaphore(limitsOf(1, 1));
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(semaphore.run("a", async () => await Promise.resolve(1), gone)).rejects.toThrow("gone");
    expect(semaphore.running).toBe(0);
  });

  test("passes a task's result and error on, and gives its permit back", async () => {
    const semaphore = new FairSemaphore(limitsOf(1, 1));
    expect(await semaphore.run("a", async () => await Promise.resolve(7))).toBe(7);
    await expect(semaphore.run("a", async () => await Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(semaphore.running).toBe(0);
  });
});
