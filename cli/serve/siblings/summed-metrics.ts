import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "prom-client";

type Metric = MetricObjectWithValues<MetricValue<string>>;

const GROWING: ReadonlySet<string> = new Set(["counter", "histogram"]);

/**
 * The metrics of several processes as those of one: each is summed, or put together as its definition says. What one
 * that ended had counted by the last reading stays in the sums, so that no count ever falls.
 */
export class SummedMetrics {
  readonly contentType: string;
  readonly #own: Registry;
  readonly #read: () => Promise<ReadonlyMap<number, unknown>>;
  readonly #latest = new Map<number, readonly Metric[]>();
  #past: readonly Metric[] = [];

  /** `read` returns the metrics of each seat, as JSON. `own` are those of this process. */
  constructor(own: Registry, read: () => Promise<ReadonlyMap<number, unknown>>) {
    this.contentType = own.contentType;
    this.#own = own;
    this.#read = read;
  }

  async metrics(): Promise<string> {
    const read = await this.#read();
    for (const [seat, metrics] of read) this.#latest.set(seat, metrics as readonly Metric[]);
    return await sumOf([...this.#latest.values(), this.#past, await this.#own.getMetricsAsJSON()]).metrics();
  }

  /** Keeps the counts of the process of a seat, which has ended. */
  async keep(seat: number): Promise<void> {
    const ended = (this.#latest.get(seat) ?? []).filter(({ type }) => GROWING.has(String(type)));
    this.#latest.delete(seat);
    this.#past = await sumOf([this.#past, ended]).getMetricsAsJSON();
  }
}

function sumOf(each: readonly (readonly Metric[])[]): Registry {
  return AggregatorRegistry.aggregate(each.filter((metrics) => metrics.length > 0));
}
