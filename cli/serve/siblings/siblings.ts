import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { SafeLog } from "../../observe/log.ts";
import { closeUnanswered } from "./handed-over.ts";
import { FIRST, SEAT, type FromSibling, type Question, type ToSibling } from "./channel.ts";

const ANSWER_MS = 1000;
// A sibling that ran for less than this counts as one that cannot start.
const STEADY_MS = 10_000;
const AGAIN_MS = { least: 100, most: 5000 };

export interface SiblingsOptions {
  readonly count: number;
  /** Variables besides the primary's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Pick<SafeLog, "error" | "info">;
  /** Is called with the seat of a sibling that ended without being asked to. Another one takes its seat. */
  readonly onLost: (seat: number) => void;
}

/** The processes that serve one port. Each has a seat, a number from 1 on, which passes on to the one that replaces it. */
export class Siblings {
  readonly #options: SiblingsOptions;
  readonly #seats = new Map<number, Worker>();
  readonly #questions = new Map<number, (value: unknown) => void>();
  readonly #endings = new Set<Promise<void>>();
  #questionCount = 0;
  #isEnding = false;

  constructor(options: SiblingsOptions) {
    this.#options = options;
  }

  /** Starts them, the first one before the others. Throws an error with the reason if one cannot start. */
  async start(): Promise<void> {
    cluster.setupPrimary({ args: process.argv.slice(2) });
    // It keeps the counts of requests for all.
    void new RateLimiterClusterMaster();
    await this.#seat(FIRST);
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) => FIRST + 1 + index);
    await Promise.all(others.map(async (seat) => await this.#seat(seat)));
  }

  /** Asks each for something. One that does not answer within a second has no entry. */
  async ask(what: Question): Promise<ReadonlyMap<number, unknown>> {
    const answers = await Promise.all(
      [...this.#seats].map(async ([seat, worker]) => [seat, await this.#askOne(worker, what)] as const),
    );
    return new Map(answers.filter(([, value]) => value !== undefined));
  }

  /** How many serve. */
  get size(): number {
    return this.#seats.size;
  }

  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#seats.values()) worker.process.kill(signal);
  }

  /** Drains and ends all. Resolves when they are gone. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    for (const worker of this.#seats.values()) send(worker, { kind: "end" });
    await Promise.all(this.#endings);
  }

  /** Starts a process on a seat. Resolves when it serves. */
  async #seat(seat: number): Promise<void> {
    const { env } = this.#options;
    const startedMs = performance.now();
    const worker = cluster.fork({ ...env, [SEAT.number]: String(seat) });
    closeUnanswered(worker);
    const { promise: started, resolve, reject } = Promise.withResolvers<void>();
    let isStarted = false;
    worker.on("message", (message: FromSibling) => {
      if (message.kind === "failed") reject(new Error(message.reason));
      if (message.kind === "answer") this.#questions.get(message.id)?.(message.value);
      if (message.kind !== "started") return;
      isStarted = true;
      this.#seats.set(seat, worker);
      if (this.#isEnding) send(worker, { kind: "end" });
      return resolve();
    });
    const gone = new Promise<void>((done) => {
      worker.once("exit", () => {
        this.#seats.delete(seat);
        reject(new Error("A process of the service ended while it started."));
        if (isStarted && !this.#isEnding) void this.#replace(seat, startedMs);
        done();
      });
    });
    this.#endings.add(gone);
    void gone.then(() => this.#endings.delete(gone));
    await started;
  }

  /** Puts another process on a seat, later each time while it cannot start. */
  async #replace(seat: number, startedMs: number): Promise<void> {
    this.#options.log.error({ sibling: seat }, "a process of the service is started anew");
    this.#options.onLost(seat);
    let waitMs = performance.now() - startedMs < STEADY_MS ? AGAIN_MS.most : 0;
    while (!this.#isEnding) {
      await wait(waitMs, undefined, { ref: false });
      if (this.#isEnding) return;
      try {
        await this.#seat(seat);
        return;
      } catch (error) {
        this.#options.log.error({ err: error, sibling: seat }, "a process of the service is started anew");
        waitMs = Math.min(Math.max(2 * waitMs, AGAIN_MS.least), AGAIN_MS.most);
      }
    }
  }

  async #askOne(worker: Worker, what: Question): Promise<unknown> {
    const id = ++this.#questionCount;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    this.#questions.set(id, resolve);
    try {
      send(worker, { kind: "ask", id, what });
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#questions.delete(id);
    }
  }
}

/** One that is about to end takes no more messages. */
function send(worker: Worker, message: ToSibling): void {
  if (worker.isConnected()) worker.send(message, undefined, () => undefined);
}
