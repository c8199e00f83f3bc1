/** Work of one owner, and the time that the owner's work took before, in milliseconds. */
interface Line {
  usedMs: number;
  readonly works: (() => void)[];
}

/**
 * Runs one work after the other, next the one of the owner that has used the least time while others waited. Between two
 * of them the thread receives, so that an owner whose work is slow delays any other by one piece of its work.
 */
export class FairTurns {
  readonly #lines = new Map<string, Line>();
  #waitingCount = 0;
  /** The used time of the owner whose turn was last: who comes anew begins there. */
  #passedMs = 0;

  take(owner: string, work: () => void): void {
    let line = this.#lines.get(owner);
    if (!line) this.#lines.set(owner, (line = { usedMs: this.#passedMs, works: [] }));
    if (line.works.length === 0) line.usedMs = Math.max(line.usedMs, this.#passedMs);
    line.works.push(work);
    if (++this.#waitingCount === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const line = this.#next();
    const work = line?.works.shift();
    if (!line || !work) return;
    this.#passedMs = line.usedMs;
    const startedMs = performance.now();
    try {
      work();
    } finally {
      line.usedMs += performance.now() - startedMs;
      if (--this.#waitingCount > 0) setImmediate(() => this.#run());
      else this.#lines.clear();
    }
  }

  #next(): Line | undefined {
    let next: Line | undefined;
    for (const line of this.#lines.values()) {
      if (line.works.length > 0 && (!next || line.usedMs < next.usedMs)) next = line;
    }
    return next;
  }
}
