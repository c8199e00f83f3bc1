/** Work of one owner, and the time that the owner's work took before, in milliseconds. */
interface Line {
  usedMs: number;
  readonly works: (() => void)[];
}

// A handshake with an honest server takes less than ten.
const COSTLY_CPU_MS = 40;

/**
 * Runs one work after the other, next the one of the owner that has used the least time while others waited. Between two
 * of them the thread receives, so that an owner whose work is slow delays any other by one piece of its work. It is named to
 * `onCostly` then.
 */
export class FairTurns {
  readonly #lines = new Map<string, Line>();
  #waitingCount = 0;
  /** The used time of the owner whose turn was last: who comes anew begins there. */
  #passedMs = 0;
  readonly #onCostly: (owner: string) => void;

  constructor(onCostly: (owner: string) => void = () => undefined) {
    this.#onCostly = onCostly;
  }

  take(owner: string, work: () => void): void {
    let line = this.#lines.get(owner);
    if (!line) this.#lines.set(owner, (line = { usedMs: this.#passedMs, works: [] }));
    if (line.works.length === 0) line.usedMs = Math.max(line.usedMs, this.#passedMs);
    line.works.push(work);
    if (++this.#waitingCount === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const [owner, line] = this.#next() ?? [];
    const work = line?.works.shift();
    if (owner === undefined || !line || !work) return;
    this.#passedMs = line.usedMs;
    const startedMs = performance.now();
    const cpuBefore = process.threadCpuUsage();
    try {
      work();
    } finally {
      line.usedMs += performance.now() - startedMs;
      const { user, system } = process.threadCpuUsage(cpuBefore);
      if (user + system > COSTLY_CPU_MS * 1000) this.#onCostly(owner);
      if (--this.#waitingCount > 0) setImmediate(() => this.#run());
      else this.#lines.clear();
    }
  }

  #next(): [owner: string, Line] | undefined {
    let next: [string, Line] | undefined;
    for (const entry of this.#lines) {
      const [, { works, usedMs }] = entry;
      if (works.length > 0 && (!next || usedMs < next[1].usedMs)) next = entry;
    }
    return next;
  }
}
