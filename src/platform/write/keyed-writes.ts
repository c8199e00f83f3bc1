import { LRUCache } from "lru-cache";
import type { Operation } from "../rpc/call.ts";
import type { Outcome } from "./claim.ts";
import { PaylinkError } from "../rpc/errors.ts";
import { secondsAfter, type Clock } from "../time/clock.ts";
import { commitDecision, type Decision, type ConflictRetry } from "./decision.ts";
import { replaceResponse, RETENTION_SECONDS, storedOutcome } from "./idempotency.ts";
import {
  encoded,
  errorOf,
  isPassing,
  outcomeOf,
  replay,
  requireSame,
  type SecretAnswers,
} from "./outcome.ts";
import { toBinary, type DescMessage, type DescMethodUnary, type MessageShape } from "@bufbuild/protobuf";
import canonicalize from "canonicalize";
import { hash } from "node:crypto";

/**
 * Does what a written decision leaves to be done outside of its transaction. Its response takes the place of the decided
 * one, for replays too. If the process dies before, or takes longer than a replay waits, the decided one stays.
 */
export type Follow<Response> = (
  response: NoInfer<Response>,
  operation: Operation,
) => Promise<NoInfer<Response>>;

interface KeyedSteps<Response> {
  readonly decide: () => Promise<Decision<Response>>;
  readonly follow?: Follow<Response> | undefined;
  readonly hasExternalEffects?: boolean;
}

interface KeyedWrite<Response> {
  readonly operation: Operation;
  readonly key: string;
  /** The key with its tenant and mode. */
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly steps: KeyedSteps<Response>;
}

/** The outcome of a key. */
interface Settled<Response> {
  readonly outcome: Outcome;
  /** True: an earlier request had it. */
  readonly isEarlier: boolean;
  /** Absent: it is earlier, or an error. */
  readonly response?: Response | undefined;
}

const WAIT_LIMIT_MS = 10_000;

// Some 150 bytes each, 500 for the longest key.
const REMEMBERED_MAX = 20_000;

/**
 * Decides and writes once for each idempotency key. Keys that were used lately are remembered: their outcome is looked up
 * before anything is decided. Of all others, the commit finds out.
 */
export class KeyedWrites {
  readonly #used = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  readonly #inFlight = new InFlight();
  readonly #clock: Clock;
  readonly #conflicts: ConflictRetry;
  readonly #secrets: SecretAnswers;

  constructor(clock: Clock, conflicts: ConflictRetry, secrets: SecretAnswers) {
    this.#clock = clock;
    this.#conflicts = conflicts;
    this.#secrets = secrets;
  }

  /**
   * Returns the response of the key's first request, decided and written now or before. The steps: see KeyedSteps. Errors:
   * those of the decision, as they were stored; idempotency_key_reuse; service_unavailable.
   */
  async write<Response>(operation: Operation, key: string, steps: KeyedSteps<Response>): Promise<Response> {
    const { method, tenantId, mode } = operation;
    const id = `${mode} ${tenantId} ${key}`;
    const write = { operation, key, id, fingerprint: fingerprintOf(method, operation.message), steps };
    let own: Settled<Response> | undefined;
    const other = await this.#inFlight.join(id, async () => {
      own = await this.#settle(write);
      return own.outcome;
    });
    const { outcome, isEarlier, response } = own ?? { outcome: other as Outcome, isEarlier: true };
    if (isEarlier) return await this.#replay(write, outcome);
    if (response !== undefined) return response;
    throw errorOf(outcome);
  }

  async #settle<Response>(write: KeyedWrite<Response>): Promise<Settled<Response>> {
    const { operation, id, steps } = write;
    const { method, tenantId, mode } = operation;
    if (steps.hasExternalEffects || this.#used.has(id)) {
      const earlier = await this.#findEarlier(write);
      if (earlier) return earlier;
    }
    const decider = { tenantId, mode, kind: method.name, signal: () => operation.context.signal };
    const settled = await this.#conflicts.run(decider, async () => await this.#decideAndCommit(write));
    this.#used.set(id, true);
    return await this.#follow(write, settled);
  }

  /** Returns undefined if it was overtaken. */
  async #decideAndCommit<Response>(write: KeyedWrite<Response>): Promise<Settled<Response> | undefined> {
    const { operation, key, fingerprint, steps } = write;
    const { tenantId, audit, environment } = operation;
    let decided: Awaited<ReturnType<typeof outcomeOf<Response>>>;
    try {
      decided = await outcomeOf(operation, fingerprint, steps.decide);
    } catch (error) {
      // A temporary error is not stored, but the key may have an earlier outcome, from before the error's cause.
      const earlier = isPassing(error) ? await this.#findEarlier(write) : undefined;
      if (!earlier) throw error;
      return earlier;
    }
    const stored = this.#secrets.stored(operation, decided.outcome);
    const outcome = stored instanceof Promise ? await stored : stored;
    const now = new Date(this.#clock.nowMs());
    const expiresAt = secondsAfter(now, RETENTION_SECONDS);
    const isAwaited = steps.follow !== undefined && outcome.error === null;
    const claim = { tenantId, key, outcome, now, expiresAt, isAwaited };
    const result = await commitDecision(environment.committer, audit, decided, claim);
    if (result === "claimed_before") return await this.#findEarlier(write, now);
    return result === "committed" ? { outcome, isEarlier: false, response: decided.response } : undefined;
  }

  /** Does what a decision leaves to be done, if it was written now and is no error. */
  async #follow<Response>(
    write: KeyedWrite<Response>,
    settled: Settled<Response>,
  ): Promise<Settled<Response>> {
    const { operation, key, steps } = write;
    const { outcome, response } = settled;
    if (!steps.follow || response === undefined) return settled;
    const { message, bytes } = encoded(operation.method, await steps.follow(response, operation));
    const isReplaced = await replaceResponse(operation.environment.pool, { ...operation, key }, bytes);
    // The decided one was the answer of a replay that waited too long: it is this one's too.
    if (!isReplaced) return (await this.#findEarlier(write)) ?? settled;
    return { outcome: { ...outcome, response: bytes }, isEarlier: false, response: message as Response };
  }

  async #findEarlier<Response>(
    { operation: { environment, tenantId }, key }: KeyedWrite<Response>,
    now = new Date(this.#clock.nowMs()),
  ): Promise<Settled<Response> | undefined> {
    const outcome = await storedOutcome(environment.pool, tenantId, key, now);
    return outcome && { outcome, isEarlier: true };
  }

  async #replay<Response>(
    { operation, fingerprint }: KeyedWrite<Response>,
    earlier: Outcome,
  ): Promise<Response> {
    requireSame(earlier, fingerprint);
    const opened = this.#secrets.opened(operation, earlier);
    return replay(operation, opened instanceof Promise ? await opened : opened) as Response;
  }
}

/**
 * Returns the identity of a request: the RPC and its canonical input. The order of keys in free objects does not
 * matter, and the white space of the request's JSON is not in a message.
 */
function fingerprintOf<I extends DescMessage>(method: DescMethodUnary<I>, request: MessageShape<I>): Buffer {
  const free: Record<string, unknown> = {};
  const plain: Record<string, unknown> = { ...request };
  for (const field of method.input.fields) {
    if (field.message?.typeName !== "google.protobuf.Struct") continue;
    free[field.name] = plain[field.localName];
    plain[field.localName] = undefined;
  }
  const bytes = Buffer.from(toBinary(method.input, plain as MessageShape<I>));
  const name = `${method.parent.typeName}/${method.name}`;
  return hash("sha256", `${name}\n${bytes.toString("latin1")}\n${canonicalize(free)}`, "buffer");
}

/**
 * Runs one request of a key while its duplicates in this process wait for the outcome, so that they hold no connection.
 * Duplicates in other processes wait for the lock on the claim's row.
 */
export class InFlight {
  readonly #running = new Map<string, Promise<Outcome | undefined>>();
  readonly #waitMs: number;

  constructor(waitMs = WAIT_LIMIT_MS) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs `work`, or waits for the running one. Returns undefined if `work` ran here, else the other's outcome. Error:
   * service_unavailable if the other takes too long.
   */
  async join(key: string, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    for (;;) {
      const running = this.#running.get(key);
      if (!running) {
        const settled = work();
        const quiet = settled.catch(() => undefined);
        this.#running.set(key, quiet);
        try {
          await settled;
          return undefined;
        } finally {
          this.#running.delete(key);
        }
      }
      const outcome = await within(this.#waitMs, running);
      // The running one left no stored outcome: this one replaces it.
      if (outcome) return outcome;
    }
  }
}

async function within<T>(waitMs: number, running: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const message =
      "A request with the same Idempotency-Key is still being worked on: send it again in a moment.";
    timer = setTimeout(() => reject(new PaylinkError("service_unavailable", message)), waitMs);
  });
  try {
    return await Promise.race([running, limit]);
  } finally {
    clearTimeout(timer);
  }
}
