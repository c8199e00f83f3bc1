import { LRUCache } from "lru-cache";
import type { Operation } from "../rpc/call.ts";
import type { Outcome } from "./claim.ts";
import { secondsAfter, type Clock } from "../time/clock.ts";
import type { ConflictRetry } from "./conflict-retry.ts";
import { commitDecision, type Decision } from "./decision.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { InFlight, replaceResponse, RETENTION_SECONDS, storedOutcome } from "./idempotency.ts";
import { encoded, errorOf, isPassing, outcomeOf, replay, requireSame } from "./outcome.ts";
import type { SecretAnswers } from "./secret-answers.ts";

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
   * Returns the response of the key's first request, decided and written now or before. The steps: see WriteSteps. Errors:
   * those of the decision, as they were stored; idempotency_key_reuse; service_unavailable.
   */
  async write<Response>(
    operation: Operation,
    key: string,
    { decide, follow, hasExternalEffects = false }: KeyedSteps<Response>,
  ): Promise<Response> {
    const { method, tenantId, mode, audit, environment } = operation;
    const id = `${mode} ${tenantId} ${key}`;
    const fingerprint = fingerprintOf(method, operation.message);
    let first: Response | undefined;
    let replayed: Outcome | undefined;
    const earlierOutcome = async (now = new Date(this.#clock.nowMs())): Promise<Outcome | undefined> =>
      await storedOutcome(environment.pool, tenantId, key, now);
    /** Returns undefined if it was overtaken. */
    const attempt = async (): Promise<Outcome | undefined> => {
      const decided = await outcomeOf(operation, fingerprint, decide).catch(async (error: unknown) => {
        // A temporary error is not stored, but the key may have an earlier outcome, from before the error's cause.
        if (isPassing(error)) replayed = await earlierOutcome();
        if (!replayed) throw error;
        return undefined;
      });
      if (!decided) return replayed;
      const { response } = decided;
      const stored = this.#secrets.stored(operation, decided.outcome);
      const outcome = stored instanceof Promise ? await stored : stored;
      const now = new Date(this.#clock.nowMs());
      const expiresAt = secondsAfter(now, RETENTION_SECONDS);
      const isAwaited = follow !== undefined && outcome.error === null;
      const claim = { tenantId, key, outcome, now, expiresAt, isAwaited };
      const result = await commitDecision(environment.committer, audit, decided, claim);
      if (result === "claimed_before") replayed = await earlierOutcome(now);
      if (result !== "committed") return replayed;
      first = response;
      return outcome;
    };
    const settled = async (): Promise<Outcome> => {
      if (hasExternalEffects || this.#used.has(id)) replayed = await earlierOutcome();
      if (replayed) return replayed;
      const decider = { tenantId, mode, kind: method.name, signal: () => operation.context.signal };
      const outcome = await this.#conflicts.run(decider, attempt);
      this.#used.set(id, true);
      if (!follow || first === undefined || replayed) return outcome;
      const { message, bytes } = encoded(method, await follow(first, operation));
      const isReplaced = await replaceResponse(environment.pool, { ...operation, key }, bytes);
      // The decided one was the answer of a replay that waited too long: it is this one's too.
      if (!isReplaced) return (replayed = await earlierOutcome()) ?? outcome;
      first = message as Response;
      return { ...outcome, response: bytes };
    };
    let own: Outcome | undefined;
    const other = await this.#inFlight.join(id, async () => {
      own = await settled();
      return own;
    });
    const earlier = other ?? replayed;
    if (earlier) {
      requireSame(earlier, fingerprint);
      const opened = this.#secrets.opened(operation, earlier);
      return replay(operation, opened instanceof Promise ? await opened : opened) as Response;
    }
    if (first !== undefined) return first;
    throw errorOf(own as Outcome);
  }
}
