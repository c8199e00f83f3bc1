/** What a process counted since it last sent this: so many of a name in a list of counts. */
export type CountedElsewhere = readonly [list: string, name: string, count: number];

/** A list of counts that several processes keep together. */
export interface SharedList {
  /** Sends a count to the others. */
  add(name: string, count: number): void;
}

const SENT_EVERY_MS = 50;

/**
 * Keeps what several processes behind one port count the same in all of them. Each counts by itself, at once, and notifies
 * the others within 50 ms: together they may pass a limit by what arrives in that time.
 */
export class SharedCounts {
  readonly #send: (counts: readonly CountedElsewhere[]) => void;
  readonly #lists = new Map<string, (name: string, count: number) => void>();
  readonly #unsent = new Map<string, Map<string, number>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (counts: readonly CountedElsewhere[]) => void) {
    this.#send = send;
  }

  /** Adds a list. `onOthers` takes what other processes counted. */
  list(list: string, onOthers: (name: string, count: number) => void): SharedList {
    this.#lists.set(list, onOthers);
    const unsent = new Map<string, number>();
    this.#unsent.set(list, unsent);
    return {
      add: (name, count) => {
        unsent.set(name, (unsent.get(name) ?? 0) + count);
        if (this.#timer === undefined) this.#timer = setTimeout(() => this.#flush(), SENT_EVERY_MS).unref();
      },
    };
  }

  /** Takes what other processes counted. */
  take(counts: readonly CountedElsewhere[]): void {
    for (const [list, name, count] of counts) this.#lists.get(list)?.(name, count);
  }

  #flush(): void {
    this.#timer = undefined;
    const counts = [...this.#unsent].flatMap(([list, unsent]) =>
      [...unsent].map(([name, count]): CountedElsewhere => [list, name, count]),
    );
    for (const unsent of this.#unsent.values()) unsent.clear();
    if (counts.length > 0) this.#send(counts);
  }
}
