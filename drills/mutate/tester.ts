import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { readEntries, type Entry, type Order } from "./journal.ts";

/** How long a test process may write nothing, in milliseconds: tests that hang end before. */
const STALL_MS = 25_000;
const TEST_TIMEOUT_MS = 10_000;
const LOOK_MS = 500;

export interface TestRun {
  readonly entries: readonly Entry[];
  /** It kept silent, and was ended. */
  readonly stalled: boolean;
}

/** Runs test files of the copied tree, each in a process of its own. */
export class Tester {
  readonly #vitest: Vitest;
  readonly #journal: string;

  private constructor(vitest: Vitest, journal: string) {
    this.#vitest = vitest;
    this.#journal = journal;
  }

  static async start(root: string, name: string, cluster: string): Promise<Tester> {
    const vitest = await createVitest(
      { root, config: false, watch: false },
      {
        logLevel: "silent",
        test: {
          include: ["**/*.ts"],
          exclude: ["node_modules"],
          runner: join(root, "drills", "mutate", "runner.ts"),
          isolate: false,
          fileParallelism: false,
          maxWorkers: 1,
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: STALL_MS,
          reporters: [{}],
          silent: true,
          provide: { cluster },
        },
      },
    );
    return new Tester(vitest, join(root, `journal-${name}`));
  }

  /** Runs one test file; returns what its process recorded, also if it died. */
  async run(file: string, order: Omit<Order, "journal">): Promise<TestRun> {
    await writeFile(this.#journal, "");
    const project = this.#vitest.getRootProject();
    project.provide("mutation", { ...order, journal: this.#journal });
    const specification = project.createSpecification(join(this.#vitest.config.root, file));
    const times = order.kind === "warm" ? 1 : order.mutants.length + 2;
    const watch = this.#endWhenSilent();
    try {
      await this.#vitest.runTestSpecifications(Array.from({ length: times }, () => specification));
    } finally {
      watch.stop();
    }
    return { entries: await readEntries(this.#journal), stalled: watch.hasEnded() };
  }

  async close(): Promise<void> {
    await this.#vitest.close();
  }

  #endWhenSilent(): { stop: () => void; hasEnded: () => boolean } {
    let ended = false;
    const end = async (): Promise<void> => {
      const { mtimeMs } = await stat(this.#journal);
      if (ended || Date.now() - mtimeMs < STALL_MS) return;
      const begun = (await readEntries(this.#journal)).find((entry) => entry.kind === "process");
      if (!begun) return;
      ended = true;
      process.kill(begun.pid, "SIGKILL");
    };
    const timer = setInterval(() => void end().catch(() => {}), LOOK_MS);
    return { stop: () => clearInterval(timer), hasEnded: () => ended };
  }
}
