import type { Job, JobQueue } from "../platform/jobs.ts";
import { repeat, type Repeating } from "../platform/repeating.ts";
import type { DeliveryJob } from "./delivery.ts";

const POLL_MS = 250;
const BATCH = 100;
// Each attempt that waits for a slow endpoint costs a socket. Each endpoint has its own limit, so this one is high.
const IN_FLIGHT_MAX = 2048;
const BEAT_MS = 3000;
const PAUSE_AFTER_FAULT_MS = 1000;

/** Takes due jobs and makes their attempts in parallel, until it is stopped. */
export class DeliveryWorker {
  readonly #queue: JobQueue<DeliveryJob>;
  readonly #deliver: (job: Job<DeliveryJob>) => Promise<void>;
  readonly #onFault: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  readonly #beats: Repeating;
  readonly #loop: Promise<void>;
  #isStopping = false;
  #wake: () => void = () => undefined;

  /** Starts at once. A job whose attempt throws stays taken, and is given out again when its time is over. */
  constructor(
    queue: JobQueue<DeliveryJob>,
    deliver: (job: Job<DeliveryJob>) => Promise<void>,
    onFault: (error: unknown) => void,
  ) {
    this.#queue = queue;
    this.#deliver = deliver;
    this.#onFault = onFault;
    this.#loop = this.#run();
    this.#beats = repeat(BEAT_MS, async () => await queue.beat([...this.#running.keys()]), onFault);
  }

  /** Takes no more jobs, and waits for the running attempts. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running.values());
    await this.#beats.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const wanted = Math.min(BATCH, IN_FLIGHT_MAX - this.#running.size);
      try {
        const jobs = wanted > 0 ? await this.#queue.take(wanted) : [];
        for (const job of jobs) this.#start(job);
        if (jobs.length < BATCH) await this.#pause(POLL_MS);
      } catch (error) {
        this.#onFault(error);
        await this.#pause(PAUSE_AFTER_FAULT_MS);
      }
    }
  }

  #start(job: Job<DeliveryJob>): void {
    const attempt = this.#deliver(job)
      .catch(this.#onFault)
      .finally(() => {
        this.#running.delete(job.id);
        // The job's endpoint has room for the next one.
        this.#wake();
      });
    this.#running.set(job.id, attempt);
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
  }
}
