import {
  getOption,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { Idempotency, method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";
import { AuditEntry, type AuditContent } from "./audit-entry.ts";
import { auditOf, NO_ENTRY, isRead } from "./audit-trail.ts";
import type { Call, FindOwner, Operation } from "./call.ts";
import { callerFrom, foundCaller, requestIdIn, type Caller, type Mode } from "./caller.ts";
import { insert } from "../write/change.ts";
import type { Clock } from "../time/clock.ts";
import { presentedToken, requireWithinBounds } from "./core-access.ts";
import type { Environment } from "../db/database.ts";
import { tryToWrite, type Decision, ConflictRetry } from "../write/decision.ts";
import { PaylinkError } from "./errors.ts";
import { KEY_REQUIRED } from "../../../contract/key-texts.ts";
import { ofMethod } from "../../../contract/of-method.ts";
import type { Encryption } from "../db/encryption.ts";
import { SecretAnswers } from "../write/outcome.ts";
import { KeyedWrites, type Follow } from "../write/keyed-writes.ts";
import type { Replica } from "../db/replica.ts";
import { semaphoreOf } from "../limits/semaphores.ts";

/** The implementation of one RPC, in the form of a Connect service. */
export type UnaryImpl<I extends DescMessage, O extends DescMessage> = Rpc<
  MessageShape<I>,
  MessageInitShape<O>
>;

type Rpc<Request, Response> = (request: Request, context: HandlerContext) => Promise<Response>;

/**
 * The steps of a writing RPC. `check` refuses bad input, which is not stored for replays. The response or error of
 * `decide` is stored, unless the error is temporary.
 */
export interface WriteSteps<Request, Response> {
  readonly findOwner?: FindOwner<NoInfer<Request>>;
  readonly check?: (request: Request, operation: Operation) => void | Promise<void>;
  readonly decide: (request: Request, operation: Operation) => Promise<Decision<Response>>;
  readonly follow?: Follow<NoInfer<Response>>;
  /**
   * True: deciding leaves something outside of the database. A key's stored outcome is looked up before, also of a key that
   * was not used lately: the commit finds it too late.
   */
  readonly hasExternalEffects?: boolean;
}

/** What an audited read shows, and what its audit entry says: null if it shows nothing of the kind. */
export interface Shown<Response> {
  readonly response: Response;
  readonly audit: AuditContent | null;
}

export interface OperationDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  /** For reads that decide nothing. Undefined: none is configured. */
  readonly replica?: Pick<Replica, "environment" | "distrust"> | undefined;
  /** Returns undefined at once if the tenant is known to exist. Error: tenant_not_found. */
  readonly requireTenant: (tenantId: string) => Promise<void> | undefined;
  /** Encrypts stored answers that hold a secret. Absent: no RPC has such answers. */
  readonly encryption?: Pick<Encryption, "encrypt" | "decrypt">;
}

// Half of a pool's eight connections: a tenant's lists and sums over many rows leave the others to all tenants.
const CALLS = { total: 64, perKey: 4, waitingPerKey: 512, waitingTotal: 4096 };

const idempotencyOf = ofMethod((method) => getOption(method, methodRules).idempotency);

/** Turns the steps of an operation into the implementation of its RPC. */
export class Operations {
  readonly #deps: OperationDeps;
  readonly #conflicts = new ConflictRetry();
  readonly #keyed: KeyedWrites;
  readonly #calls = semaphoreOf(CALLS);

  constructor(deps: OperationDeps) {
    this.#deps = deps;
    this.#keyed = new KeyedWrites(deps.clock, this.#conflicts, new SecretAnswers(deps.encryption));
  }

  /**
   * Implements an RPC that changes nothing, or whose work has its own transactions and may run twice. Without `findOwner`
   * it runs by a permit of its tenant. With it, the room bounds what is more than a few rows.
   */
  run<Request extends Message, Response>(
    run: (request: Request, operation: Operation) => Promise<Response>,
    findOwner?: FindOwner<NoInfer<Request>>,
  ): Rpc<Request, Response> {
    return async (request, context) => {
      const operation = await this.#operation(request, context, findOwner);
      if (operation.audit && isRead(context.method)) {
        throw new Error(`${context.method.name} does not say its audit entry`);
      }
      // Who is found by what is asked for is not the tenant's user: payers read or pay a single object.
      if (findOwner) return await run(request, operation);
      return await this.#permitted(operation, async () => await run(request, operation));
    };
  }

  /**
   * Implements a read that decides nothing and may show what was true a moment ago: a replica answers it, if one is near
   * enough. What that refuses or fails at, the primary is asked again.
   */
  browse<Request extends Message, Response>(
    run: (request: Request, operation: Operation) => Promise<Response>,
  ): Rpc<Request, Response> {
    return this.run<Request, Response>(async (request, operation) => {
      const { replica } = this.#deps;
      const environment = replica?.environment(operation.mode);
      if (!environment) return await run(request, operation);
      try {
        return await run(request, { ...operation, environment });
      } catch (error) {
        if (!(error instanceof PaylinkError)) replica?.distrust();
        return await run(request, operation);
      }
    });
  }

  /** Implements an audited read. Its entry is written before its response. */
  show<Request extends Message, Response>(
    show: (request: Request, operation: Operation) => Promise<Shown<Response>>,
  ): Rpc<Request, Response> {
    return async (request, context) => {
      const operation = await this.#operation(request, context);
      const shown = async (): Promise<Shown<Response>> => await show(request, operation);
      const { response, audit: content } = await this.#permitted(operation, shown);
      if (content !== null) await this.record(operation, content);
      return response;
    };
  }

  async #permitted<Result>(
    { tenantId, mode, context }: Operation,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = `${mode} ${tenantId}`;
    // Connect makes the signal at its first use, which costs more than most reads.
    const signal = this.#calls.isFree(key) ? undefined : context.signal;
    return await this.#calls.run(key, work, signal);
  }

  /** Writes the call's audit entry without a change of rows: of what it shows, or has changed elsewhere. */
  async record(
    { audit, environment }: Pick<Operation, "audit" | "environment">,
    content: AuditContent,
  ): Promise<void> {
    const entry = audit?.entry(content);
    if (entry) await environment.committer.commit([insert(AuditEntry, entry)], NO_ENTRY, null);
  }

  /** Implements a writing RPC, once per idempotency key if it accepts one. Errors: the steps' and the key's. */
  write<Request extends Message, Response>({
    findOwner,
    check,
    decide,
    follow,
    hasExternalEffects = false,
  }: WriteSteps<Request, Response>): Rpc<Request, Response> {
    return async (request, context) => {
      const operation = await this.#operation(request, context, findOwner);
      const { idempotencyKey } = operation;
      const idempotency = idempotencyOf(context.method);
      if (idempotency === Idempotency.REQUIRED && idempotencyKey === undefined) {
        throw new PaylinkError("missing_idempotency_key", KEY_REQUIRED);
      }
      const checked = check?.(request, operation);
      if (checked) await checked;
      const decided = (): Promise<Decision<Response>> => decide(request, operation);
      if (idempotency === Idempotency.UNSPECIFIED || idempotencyKey === undefined) {
        const response = await this.writeOnce(operation, decided);
        return follow ? await follow(response, operation) : response;
      }
      return await this.#keyed.write(operation, idempotencyKey, {
        decide: decided,
        follow,
        hasExternalEffects,
      });
    };
  }

  /** Decides and writes, and decides again if others have changed the same rows. Error: service_unavailable. */
  async writeOnce<Output>(
    { tenantId, mode, audit }: Call,
    decide: () => Promise<Decision<Output>>,
  ): Promise<Output> {
    const { committer } = this.#deps.environments[mode];
    const attempt = async (): Promise<{ response: Output } | undefined> =>
      await tryToWrite(committer, audit, decide);
    return (await this.#conflicts.run({ tenantId, mode, kind: "" }, attempt)).response;
  }

  /** Returns the request with its caller. Errors: those of the headers; tenant_not_found. */
  async #operation<Request extends Message>(
    message: Request,
    context: HandlerContext,
    findOwner?: FindOwner<Request>,
  ): Promise<Operation> {
    const caller = await this.#callerOf(message, context, findOwner);
    return {
      ...caller,
      method: context.method as DescMethodUnary,
      message,
      environment: this.#deps.environments[caller.mode],
      audit: auditOf(context),
      context,
    };
  }

  async #callerOf<Request>(
    request: Request,
    { requestHeader, values }: HandlerContext,
    findOwner: FindOwner<Request> | undefined,
  ): Promise<Caller> {
    if (findOwner) {
      const { tenantId, mode } = await findOwner(request);
      const caller = { tenantId, mode, requestId: requestIdIn(requestHeader), idempotencyKey: undefined };
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
}
