// The other connections of the pool are for other queries.
const QUERIES_MAX = 2;
// One that takes longer waits for a lock or for the server, and others need not wait with it.
const SLOW_MS = 100;

/** Slots of queries that each do the work of several callers. Callers without a slot wait, and go together. */
export class QuerySlots {
  #running = 0;

  get free(): number {
    return QUERIES_MAX - this.#running;
  }

  /** Takes a free slot for the work, and calls `next` when it is free again: after 100 ms at the latest. */
  run(work: Promise<void>, next: () => void): void {
    this.#running++;
    let isCounted = true;
    const end = (): void => {
      if (!isCounted) return;
      isCounted = false;
      this.#running--;
      next();
    };
    const timer = setTimeout(end, SLOW_MS);
    void work.finally(() => {
      clearTimeout(timer);
      end();
    });
  }
}
