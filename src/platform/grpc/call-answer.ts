import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  createContextKey,
  type ContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import { holderAt, type Holder } from "../../../contract/occupancy.ts";
import { encodedBytes } from "../encodable.ts";
import { PaylinkError } from "../errors.ts";
import { callerKind, tokenHolder } from "./call-holder.ts";
import type { Outlet } from "./outlet.ts";
import type { UnreadAnswer } from "./unread-answer.ts";
import type { Reader, UnreadAnswers } from "./unread-answers.ts";

/** The answer of one call, which begins when its caller is known. */
export class CallAnswer {
  readonly #answers: UnreadAnswers;
  readonly #outlet: Outlet;
  #answer: UnreadAnswer | undefined;

  constructor(answers: UnreadAnswers, outlet: Outlet) {
    this.#answers = answers;
    this.#outlet = outlet;
  }

  /** Error: resource_exhausted if the caller has not read enough of its answers. */
  requireRoom(values: ContextValues): void {
    const reader = this.#readerOf(values);
    if (this.#answers.isFull(reader)) throw tooManyUnread(reader);
  }

  /** Counts an answer that is about to be sent. Error of a refusable one that does not fit: resource_exhausted. */
  take(values: ContextValues, bytes: number, isRefusable: boolean): void {
    const reader = this.#readerOf(values);
    if (isRefusable && this.#answers.exceeds(reader, bytes)) throw tooManyUnread(reader);
    this.#of(values).expect(bytes);
  }

  /** Returns who reads the answer. */
  holderOf(values: ContextValues): Holder {
    return this.#readerOf(values).holder;
  }

  /** Passes the answer on, as its client takes it. */
  send(values: ContextValues, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.#of(values).send(body);
  }

  #of(values: ContextValues): UnreadAnswer {
    return (this.#answer ??= this.#answers.watch(this.#outlet, this.#readerOf(values)));
  }

  #readerOf(values: ContextValues): Reader {
    const kind = callerKind(values);
    if (kind === "stranger") return { kind, holder: holderAt(this.#outlet.address) };
    return { kind, holder: { owner: tokenHolder(values) ?? "gateway" } };
  }
}

/** The answer of a call that came by a port. */
export const callAnswer = createContextKey<CallAnswer | undefined>(undefined);

/**
 * Refuses a call that came by a port before its work, if its caller has too much unread; again if it waited for its turn,
 * as answers of others that waited may be unread by then. Error: resource_exhausted.
 */
export function requireRoom(values: ContextValues): void {
  values.get(callAnswer)?.requireRoom(values);
}

/**
 * Refuses a call whose caller has too much unread: before its work, and after it if it is a read whose answer does not
 * fit. A change that was made is answered. Error: resource_exhausted; for gateways service_unavailable.
 */
export function refuseAboveUnread(): Interceptor {
  return (next) => async (request) => {
    const { contextValues: values, method } = request;
    requireRoom(values);
    const response = await next(request);
    if (!response.stream) values.get(callAnswer)?.take(values, values.get(encodedBytes), isRead(method));
    return response;
  };
}

/** Returns whether a call changes nothing. Health checks do not say it. */
function isRead({ idempotency, parent }: DescMethod): boolean {
  return (
    idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS || !parent.typeName.startsWith("paylink.")
  );
}

function tooManyUnread({ kind }: Reader): Error {
  const message = "Read the answers that were asked for before you ask for more.";
  if (kind === "gateway") return new PaylinkError("service_unavailable", message);
  return new ConnectError(message, Code.ResourceExhausted);
}
