import { Counter, Histogram, type Registry } from "prom-client";

const HELD_MAX = 256;
// Each is a series for every route: enough to set a good answer, a slow one and one at its time limit apart.
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 5, 20];

interface Named<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: Label[];
}

interface Held<Label extends string> {
  readonly labels: Record<Label, string>;
  readonly seconds: number[];
}

/**
 * A counter and a histogram of what has ended. It passes many to them at once, as one alone costs them more than a look at
 * a map: before a scrape, and before it holds more than 256 of the same labels.
 */
export class Tally<Label extends string, TimeLabel extends Label> {
  readonly #held = new Map<string, Held<Label>>();
  readonly #counter: Counter<Label>;
  readonly #histogram: Histogram<TimeLabel>;
  readonly #timeLabels: readonly TimeLabel[];

  constructor(registry: Registry, counted: Named<Label>, timed: Named<TimeLabel>) {
    const shared = { registers: [registry], collect: () => this.#flush() };
    this.#counter = new Counter({ ...counted, ...shared });
    this.#histogram = new Histogram({ ...timed, ...shared, buckets: BUCKETS });
    this.#timeLabels = timed.labelNames;
  }

  /** `key` is a text of all labels. */
  add(key: string, labels: Record<Label, string>, durationMs: number): void {
    let held = this.#held.get(key);
    if (!held) this.#held.set(key, (held = { labels, seconds: [] }));
    held.seconds.push(durationMs / 1000);
    if (held.seconds.length >= HELD_MAX) this.#pass(held);
  }

  #flush(): void {
    for (const held of this.#held.values()) this.#pass(held);
  }

  #pass({ labels, seconds }: Held<Label>): void {
    if (seconds.length === 0) return;
    this.#counter.inc(labels, seconds.length);
    const timeLabels = Object.fromEntries(this.#timeLabels.map((name) => [name, labels[name]]));
    for (const each of seconds) this.#histogram.observe(timeLabels as Record<TimeLabel, string>, each);
    seconds.length = 0;
  }
}
