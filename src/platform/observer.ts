import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { foundCaller, HEADERS } from "./caller.ts";
import { presentedToken } from "./core-access.ts";
import { DIRECT_SCHEME } from "./direct-transport.ts";

/** A call of an RPC that came to its end. Headers are as the caller gave them: nothing in them is checked here. */
export interface EndedCall {
  readonly service: string;
  readonly method: string;
  readonly requestId: string | undefined;
  readonly tenantId: string | undefined;
  readonly mode: string | undefined;
  /** Whose token it was, "ctk_…"; undefined for the core's own. */
  readonly tokenId: string | undefined;
  /** "ok", "replay", our code of the error, else the protocol's. */
  readonly outcome: string;
  /** The protocol's code, as gRPC spells it in lower case. */
  readonly code: string;
  readonly durationMs: number;
  /** The caller is in this process. */
  readonly isDirect: boolean;
}

/** An attempt to deliver a webhook that came to its end. */
export interface EndedAttempt {
  readonly mode: string;
  /** "succeeded", or why it failed. */
  readonly outcome: string;
}

/** Who is told of what the core did, to count and log it. Must not throw. */
export interface CoreObserver {
  callEnded(call: EndedCall): void;
  attemptEnded(attempt: EndedAttempt): void;
}

/** Tells the caller whom its call was for, where it could not know. */
export function tellOwner(): Interceptor {
  return (next) => async (request) => {
    const tell = (header: Headers): void => {
      const caller = request.contextValues.get(foundCaller);
      if (!caller) return;
      header.set(HEADERS.tenant, caller.tenantId);
      header.set(HEADERS.mode, caller.mode);
    };
    try {
      const response = await next(request);
      tell(response.header);
      return response;
    } catch (error) {
      if (error instanceof ConnectError) tell(error.metadata);
      throw error;
    }
  };
}

/** Tells the observer of every call of ours; health checks and reflection are not worth a word. */
export function observeCalls(observer: CoreObserver): Interceptor {
  return (next) => async (request) => {
    if (!request.service.typeName.startsWith("paylink.")) return await next(request);
    const startedMs = performance.now();
    const ended = (outcome: string, code: string): void => {
      const { service, method, header, url, contextValues } = request;
      const caller = contextValues.get(foundCaller);
      observer.callEnded({
        service: service.typeName,
        method: method.name,
        requestId: header.get(HEADERS.requestId) ?? undefined,
        tenantId: caller?.tenantId ?? header.get(HEADERS.tenant) ?? undefined,
        mode: caller?.mode ?? header.get(HEADERS.mode) ?? undefined,
        tokenId: contextValues.get(presentedToken),
        outcome,
        code,
        durationMs: performance.now() - startedMs,
        isDirect: url.startsWith(DIRECT_SCHEME),
      });
    };
    try {
      const response = await next(request);
      ended(response.header.get(HEADERS.idempotentReplay) === "true" ? "replay" : "ok", "ok");
      return response;
    } catch (error) {
      const { code, reason } = refusalOf(error);
      ended(reason ?? code, code);
      throw error;
    }
  };
}

/** The names of an error as it travels. */
export function refusalOf(error: unknown): { code: string; reason: string | undefined } {
  const refused = ConnectError.from(error);
  const code = Code[refused.code].replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { code, reason: refused.findDetails(ErrorInfoSchema)[0]?.reason };
}
