import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Http } from "./http.ts";
import type { Operation, Operations } from "./operations.ts";

const RETRY_PAUSE_MS = 50;
const REPLAY_CONCURRENCY = 8;

/** An operation and the answer that a client took for definite. */
export interface Acknowledged {
  readonly operation: Operation;
  readonly status: number;
  readonly text: string;
  /** When, by `performance.now()`. */
  readonly atMs: number;
}

/** What clients were answered: every acknowledgement, and what went wrong on the way to it. */
export class Log {
  readonly #acknowledged: Acknowledged[] = [];
  /** Definite answers of a status that the operation does not have; they are not among the acknowledged. */
  readonly unexpected: Acknowledged[] = [];
  /** Keys given up without a definite answer. */
  readonly undecided: string[] = [];
  /** Attempts that were not definite, by status, or by the failure's code where there was no answer. */
  readonly retried = new Map<string, number>();
  /** Texts of answers of 500: the service's own faults, where it should say 503. */
  readonly internalErrors: string[] = [];
  /** The longest that a single attempt took, to its answer or its failure. */
  longestAttemptMs = 0;

  get acknowledged(): readonly Acknowledged[] {
    return this.#acknowledged;
  }

  add(entry: Acknowledged): void {
    const isExpected = entry.status === entry.operation.expectedStatus;
    (isExpected ? this.#acknowledged : this.unexpected).push(entry);
  }

  retry(reason: string): void {
    this.retried.set(reason, (this.retried.get(reason) ?? 0) + 1);
  }

  /** The longest time without an acknowledgement between two instants. */
  gapMs(fromMs: number, toMs: number): number {
    const times = this.#acknowledged.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs && atMs < toMs);
    const marks = [fromMs, ...times.toSorted((a, b) => a - b), toMs];
    return marks.reduce((longest, mark, index) => Math.max(longest, mark - (marks[index - 1] ?? mark)), 0);
  }
}

/** How clients reach the service, and when they try again or give up. */
export interface ClientAccess {
  readonly http: Http;
  readonly apiKey: string;
  /** After which an attempt without an answer is asked again. */
  readonly attemptTimeoutMs: number;
  /** After which an operation without a definite answer is given up. */
  readonly giveUpMs: number;
}

/** Whether the answer says what became of the request, so that a client asks no more. */
function isDefinite(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

/** A merchant's client: asks one operation after the other, each under its key until the answer is definite. */
export class Client {
  readonly #access: ClientAccess;
  readonly #operations: Operations;
  readonly #log: Log;

  constructor(access: ClientAccess, operations: Operations, log: Log) {
    this.#access = access;
    this.#operations = operations;
    this.#log = log;
  }

  /** Runs until the signal; operations in progress are still finished. */
  async run(signal: AbortSignal, pauseMs = 0): Promise<void> {
    while (!signal.aborted) {
      const operation = this.#operations.next();
      const answer = await askUntilDefinite(this.#access, operation, this.#log);
      if (!answer) {
        this.#log.undecided.push(operation.key);
        continue;
      }
      const { status, text } = answer;
      this.#log.add({ operation, status, text, atMs: performance.now() });
      if (status === operation.expectedStatus) this.#operations.learn(operation, text);
      if (pauseMs > 0) await delay(pauseMs);
    }
  }
}

/** Asks under the same key until the answer is definite; undefined when that takes too long. */
async function askUntilDefinite(
  { http, apiKey, attemptTimeoutMs, giveUpMs }: ClientAccess,
  { key, path, body }: Operation,
  log: Log,
): Promise<Answer | undefined> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "idempotency-key": key,
  };
  const startMs = performance.now();
  while (performance.now() - startMs < giveUpMs) {
    const attemptMs = performance.now();
    const outcome = await http
      .send({ method: "POST", path, headers, body }, attemptTimeoutMs)
      .catch(failureName);
    log.longestAttemptMs = Math.max(log.longestAttemptMs, performance.now() - attemptMs);
    if (typeof outcome !== "string") {
      if (isDefinite(outcome.status)) return outcome;
      log.retry(String(outcome.status));
      if (outcome.status === 500) log.internalErrors.push(outcome.text);
    } else log.retry(outcome);
    await delay(RETRY_PAUSE_MS);
  }
  return undefined;
}

function failureName(error: unknown): string {
  if (!(error instanceof Error)) return "failure";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "no answer";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** What became of acknowledged answers when their keys were asked again. */
export interface ReplayCheck {
  readonly count: number;
  /** Not replayed: the key is unknown, and what was acknowledged is gone. */
  readonly lost: readonly string[];
  /** Replayed with another status or other bytes. */
  readonly changed: readonly string[];
  /** No definite answer came. */
  readonly undecided: readonly string[];
}

/** Asks every acknowledged key again, which must be within its 24 hours, and compares status and bytes. */
export async function checkReplays(
  access: ClientAccess,
  entries: readonly Acknowledged[],
): Promise<ReplayCheck> {
  const [lost, changed, undecided]: [string[], string[], string[]] = [[], [], []];
  const log = new Log();
  const rest = entries.values();
  const worker = async (): Promise<void> => {
    for (const { operation, status, text } of rest) {
      const answer = await askUntilDefinite(access, operation, log);
      if (!answer) undecided.push(operation.key);
      else if (!answer.isReplay) lost.push(operation.key);
      else if (answer.status !== status || answer.text !== text) changed.push(operation.key);
    }
  };
  await Promise.all(Array.from({ length: REPLAY_CONCURRENCY }, worker));
  return { count: entries.length, lost, changed, undecided };
}
