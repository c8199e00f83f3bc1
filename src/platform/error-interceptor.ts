import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { HEADERS } from "./caller.ts";
import { invalidRequest, PaylinkError, toConnectError } from "./errors.ts";

/** Where faults of ours are told to; their text goes nowhere else. */
export interface FaultLog {
  error(details: object, message: string): void;
}

// SQLSTATE classes: connection exceptions, insufficient resources, operator intervention (57014: the statement's time
// is over), system errors. And: a server without writes, locks not had in time, ended for idling in a transaction,
// for the transaction's length, and for what others do at the same time.
const UNAVAILABLE_STATE = /^(?:08|53|57|58)|^(?:25006|25P03|25P04|40001|40P01|55P03)$/;
const UNAVAILABLE_SYSTEM = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);
const UNAVAILABLE_TEXT =
  /^Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Client was closed|is not queryable$/;
const NOT_STORABLE_TEXT = "22021";

/** Gives every error the form in which it may leave: public text and code, nothing of ours. */
export function translateErrors(log: FaultLog): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      const isOwn = error instanceof PaylinkError;
      // One that we are the cause of by ourselves says all that there is to say.
      if (isOwn && (error.code !== "service_unavailable" || error.cause === undefined))
        throw toConnectError(error);
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code === NOT_STORABLE_TEXT) {
        throw toConnectError(invalidRequest(null, "The request holds a character that cannot be stored."));
      }
      const rpc = `${request.service.typeName}/${request.method.name}`;
      const requestId = request.header.get(HEADERS.requestId) ?? undefined;
      // Whoever went away broke off its stream by itself.
      if (request.signal.aborted) throw new ConnectError("the caller went away", Code.Canceled);
      // Here alone: those who pass the answer on need not.
      log.error({ err: error, rpc, request_id: requestId }, "request failed");
      if (isOwn) throw toConnectError(error);
      if (isUnavailable(error, code)) {
        throw toConnectError(new PaylinkError("service_unavailable", "The service is not available now."));
      }
      throw new ConnectError("internal error", Code.Internal);
    }
  };
}

function isUnavailable(error: unknown, code: string): boolean {
  if (UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SYSTEM.has(code)) return true;
  return error instanceof Error && UNAVAILABLE_TEXT.test(error.message);
}
