import { timingSafeEqual } from "node:crypto";
import {
  create,
  fromBinary,
  getOption,
  toBinary,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type ErrorCode } from "../../contract/error-codes.ts";
import { HEADERS } from "../../contract/headers.ts";
import { Idempotency, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { callerFrom, foundCaller, type Caller, type Mode } from "./caller.ts";
import type { Change } from "./change.ts";
import { secondsAfter, type Clock } from "./clock.ts";
import type { Committer, Outcome } from "./commit.ts";
import { presentedToken } from "./core-access.ts";
import type { Environment } from "./database.ts";
import { PaylinkError, toConnectError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { InFlight, RETENTION_SECONDS, storedOutcome } from "./idempotency.ts";
import { requireWithinBounds } from "./token-bounds.ts";

/** The implementation of one RPC, in the form of a Connect service. */
export type UnaryImpl<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  context: HandlerContext,
) => Promise<MessageInitShape<O>>;

/** The decision of a write: its response, and the changes to write. */
export interface Decision<Output> {
  readonly response: Output;
  readonly changes: readonly Change[];
}

/** Finds the caller for an RPC whose headers do not decide it. */
export type FindCaller<I extends DescMessage> = (
  request: MessageShape<I>,
  headers: Headers,
) => Promise<Caller>;

/**
 * The steps of a writing RPC. `check` refuses bad input, which is not stored for replays. The response or error of
 * `decide` is stored, unless the error is temporary.
 */
export interface WriteSteps<I extends DescMessage, O extends DescMessage> {
  readonly findCaller?: FindCaller<I>;
  readonly check?: (request: MessageShape<I>, caller: Caller) => void | Promise<void>;
  readonly decide: (
    request: MessageShape<I>,
    caller: Caller,
    environment: Environment,
  ) => Promise<Decision<MessageInitShape<O>>>;
}

export interface OperationDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  /** Returns undefined at once if the tenant is known to exist. Error: tenant_not_found. */
  readonly requireTenant: (tenantId: string) => Promise<void> | undefined;
}

const OVERTAKEN_MAX = 20;

// Temporary errors are not stored for replays, so that a retry with the same key may succeed.
const PASSING: ReadonlySet<ErrorCode> = new Set(["service_unavailable", "quote_fx_required"]);

function isPassing(error: unknown): boolean {
  return error instanceof PaylinkError && PASSING.has(error.code);
}

/** Decides and writes, and decides again if others have changed the same rows. Error: service_unavailable. */
export async function writeDecided<Output>(
  committer: Committer,
  decide: () => Promise<Decision<Output>>,
): Promise<Output> {
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
    const { response, changes } = await decide();
    if ((await committer.commit(changes, null)) === "committed") return response;
  }
  throw new PaylinkError("service_unavailable", "Too many requests change the same object.");
}

/** Turns the steps of an operation into the implementation of its RPC. */
export class Operations {
  readonly #deps: OperationDeps;
  readonly #inFlight = new InFlight();

  constructor(deps: OperationDeps) {
    this.#deps = deps;
  }

  /** Implements an RPC that changes nothing, or whose work has its own transaction and may run twice. */
  run<I extends DescMessage, O extends DescMessage>(
    _method: DescMethodUnary<I, O>,
    run: (request: MessageShape<I>, caller: Caller, environment: Environment) => Promise<MessageInitShape<O>>,
    findCaller?: FindCaller<I>,
  ): UnaryImpl<I, O> {
    return async (request, context) => {
      const caller = await this.#callerOf(request, context, findCaller);
      return await run(request, caller, this.#deps.environments[caller.mode]);
    };
  }

  /** Implements a writing RPC, once per idempotency key if it accepts one. Errors: the steps' and the key's. */
  write<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    steps: WriteSteps<I, O>,
  ): UnaryImpl<I, O> {
    const { idempotency } = getOption(method, methodRules);
    return async (request, context) => {
      const caller = await this.#callerOf(request, context, steps.findCaller);
      if (idempotency === Idempotency.REQUIRED && caller.idempotencyKey === undefined) {
        throw new PaylinkError("missing_idempotency_key", "The header Idempotency-Key is required.");
      }
      const checked = steps.check?.(request, caller);
      if (checked) await checked;
      const decide = (): Promise<Decision<MessageInitShape<O>>> =>
        steps.decide(request, caller, this.#deps.environments[caller.mode]);
      const key = idempotency === Idempotency.UNSPECIFIED ? undefined : caller.idempotencyKey;
      return key === undefined
        ? await this.writeOnce(caller, decide)
        : await this.#writeWithKey(method, request, caller, key, decide, context);
    };
  }

  /** Decides and writes, and decides again if others have changed the same rows. Error: service_unavailable. */
  async writeOnce<Output>(caller: Caller, decide: () => Promise<Decision<Output>>): Promise<Output> {
    return await writeDecided(this.#deps.environments[caller.mode].committer, decide);
  }

  /** Returns the caller. Errors: those of the headers; tenant_not_found. */
  async #callerOf<I extends DescMessage>(
    request: MessageShape<I>,
    context: HandlerContext,
    findCaller: FindCaller<I> | undefined,
  ): Promise<Caller> {
    const { requestHeader, values } = context;
    if (findCaller) {
      const caller = await findCaller(request, requestHeader);
      requireWithinBounds(values, caller);
      values.set(foundCaller, caller);
      return caller;
    }
    const caller = callerFrom(requestHeader);
    await this.#deps.requireTenant(caller.tenantId);
    const tokenId = values.get(presentedToken);
    // A caller with a named token cannot name another actor.
    return tokenId === undefined ? caller : { ...caller, actor: tokenId };
  }

  async #writeWithKey<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageShape<I>,
    caller: Caller,
    key: string,
    decide: () => Promise<Decision<MessageInitShape<O>>>,
    context: HandlerContext,
  ): Promise<MessageInitShape<O>> {
    const fingerprint = fingerprintOf(method, request);
    let first: MessageInitShape<O> | undefined;
    let replayed: Outcome | undefined;
    const environment = this.#deps.environments[caller.mode];
    const earlierOutcome = async (now = new Date(this.#deps.clock.nowMs())): Promise<Outcome | undefined> =>
      await storedOutcome(environment.pool, caller.tenantId, key, now);
    const attempt = async (): Promise<Outcome> => {
      for (let overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
        const decided = await this.#decided(method, caller, fingerprint, decide).catch(
          async (error: unknown) => {
            // A temporary error is not stored, but the key may have an earlier outcome, from before the error's cause.
            if (isPassing(error)) replayed = await earlierOutcome();
            if (!replayed) throw error;
            return undefined;
          },
        );
        if (!decided) return replayed as Outcome;
        const { outcome, response, changes } = decided;
        const now = new Date(this.#deps.clock.nowMs());
        const result = await environment.committer.commit(changes, {
          tenantId: caller.tenantId,
          key,
          outcome,
          now,
          expiresAt: secondsAfter(now, RETENTION_SECONDS),
        });
        if (result === "committed") {
          first = response;
          return outcome;
        }
        if (result === "claimed_before") {
          replayed = await earlierOutcome(now);
          if (replayed) return replayed;
        }
      }
      throw new PaylinkError("service_unavailable", "Too many requests change the same object.");
    };
    let own: Outcome | undefined;
    const other = await this.#inFlight.join(`${caller.mode} ${caller.tenantId} ${key}`, async () => {
      own = await attempt();
      return own;
    });
    const earlier = other ?? replayed;
    if (earlier) return replay(method, earlier, fingerprint, context);
    if (first !== undefined) return first;
    throw errorOf(own as Outcome);
  }

  async #decided<O extends DescMessage>(
    method: DescMethodUnary<DescMessage, O>,
    caller: Caller,
    fingerprint: Buffer,
    decide: () => Promise<Decision<MessageInitShape<O>>>,
  ): Promise<{ outcome: Outcome; response?: MessageInitShape<O>; changes: readonly Change[] }> {
    const base = { fingerprint, requestId: caller.requestId };
    try {
      const { response, changes } = await decide();
      const message = create(method.output, response);
      const bytes = toBinary(method.output, message);
      return { outcome: { ...base, response: bytes, error: null }, response: message, changes };
    } catch (error) {
      if (!(error instanceof PaylinkError) || isPassing(error)) throw error;
      const { code, message, param } = error;
      return { outcome: { ...base, response: null, error: { code, message, param } }, changes: [] };
    }
  }
}

/** Returns the first request's response, or throws its error. Error: idempotency_key_reuse if the requests differ. */
function replay<O extends DescMessage>(
  method: DescMethodUnary<DescMessage, O>,
  earlier: Outcome,
  fingerprint: Buffer,
  context: HandlerContext,
): MessageInitShape<O> {
  if (!timingSafeEqual(earlier.fingerprint, fingerprint)) {
    const message = "This Idempotency-Key was used with another request.";
    throw new PaylinkError("idempotency_key_reuse", message);
  }
  const headers = { [HEADERS.idempotentReplay]: "true", [HEADERS.requestId]: earlier.requestId };
  if (earlier.error) throw toConnectError(errorOf(earlier), new Headers(headers));
  for (const [name, value] of Object.entries(headers)) context.responseHeader.set(name, value);
  return fromBinary(method.output, earlier.response as Uint8Array) as MessageInitShape<O>;
}

function errorOf({ error }: Outcome): PaylinkError {
  if (!error) throw new Error("an outcome is a response or an error");
  return new PaylinkError(error.code as ErrorCode, error.message, error.param);
}
