import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { HEADERS } from "../../../contract/headers.ts";
import { foundCaller, requestIdIn } from "../rpc/caller.ts";
import { DIRECT_SCHEME, presentedToken } from "../rpc/core-access.ts";

/** A call of an RPC that has ended. Its headers are the caller's, unchecked. */
export interface EndedCall {
  readonly service: string;
  readonly method: string;
  readonly requestId: string | undefined;
  readonly tenantId: string | undefined;
  readonly mode: string | undefined;
  /** The id of the caller's token, "ctk_…"; undefined for the core's own token. */
  readonly tokenId: string | undefined;
  /** "ok", "replay", the contract's error code, else the protocol's. */
  readonly outcome: string;
  /** The protocol's code in gRPC's spelling, in lower case. */
  readonly code: string;
  readonly durationMs: number;
  /** True: the caller is in this process. */
  readonly isDirect: boolean;
}

/** An attempt to deliver a webhook that has ended. */
export interface EndedAttempt {
  readonly mode: string;
  /** "succeeded", or the reason of the failure. */
  readonly outcome: string;
}

/** A failure of a payment provider. */
export interface EndedAsking {
  readonly mode: string;
  /** How it failed. */
  readonly kind: string;
}

/** Receives the core's calls, attempts and failures, to count and log them. Must not throw. */
export interface CoreObserver {
  callEnded(call: EndedCall): void;
  attemptEnded(attempt: EndedAttempt): void;
  providerFailed(failure: EndedAsking): void;
}

/**
 * Gives a call without a valid request id a new one, and sends the id with the answer or the error. A replay has the id of
 * the first call.
 */
export function sendRequestId(): Interceptor {
  return (next) => async (request) => {
    const id = requestIdIn(request.header);
    request.header.set(HEADERS.requestId, id);
    try {
      const response = await next(request);
      if (!response.header.has(HEADERS.requestId)) response.header.set(HEADERS.requestId, id);
      return response;
    } catch (error) {
      const refused = ConnectError.from(error);
      if (!refused.metadata.has(HEADERS.requestId)) refused.metadata.set(HEADERS.requestId, id);
      throw refused;
    }
  };
}

/** Adds the tenant and mode of the call to the response, if the caller could not know them. */
export function sendOwner(): Interceptor {
  return (next) => async (request) => {
    const addOwner = (header: Headers): void => {
      const caller = request.contextValues.get(foundCaller);
      if (!caller) return;
      header.set(HEADERS.tenant, caller.tenantId);
      header.set(HEADERS.mode, caller.mode);
    };
    try {
      const response = await next(request);
      addOwner(response.header);
      return response;
    } catch (error) {
      if (error instanceof ConnectError) addOwner(error.metadata);
      throw error;
    }
  };
}

/** Reports every call of the service's own RPCs to the observer; health checks and reflection are left out. */
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

/** Returns an error's Connect code and its reason, the contract's code. */
export function refusalOf(error: unknown): { code: string; reason: string | undefined } {
  const refused = ConnectError.from(error);
  const code = Code[refused.code].replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { code, reason: refused.findDetails(ErrorInfoSchema)[0]?.reason };
}
