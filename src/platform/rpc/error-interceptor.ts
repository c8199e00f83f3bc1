import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import { invalidRequest, PaylinkError, toConnectError } from "./errors.ts";

/** The log of the service's own faults. Their text goes nowhere else. */
export interface FaultLog {
  error(details: object, message: string): void;
}

// SQLSTATE classes: connection exceptions, insufficient resources, operator intervention (57014: statement timeout),
// system errors. Single states: a read-only server, lock timeout, timeouts of an idle transaction and of a transaction,
// serialization failure and deadlock.
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

/** Translates every error into its public form: text and code, without internals. */
export function translateErrors(log: FaultLog): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      const isOwn = error instanceof PaylinkError;
      // A service_unavailable without a cause comes from the service itself: its message is complete.
      if (isOwn && (error.code !== "service_unavailable" || error.cause === undefined))
        throw toConnectError(error);
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code === NOT_STORABLE_TEXT) {
        throw toConnectError(invalidRequest(null, "The request holds a character that cannot be stored."));
      }
      const rpc = `${request.service.typeName}/${request.method.name}`;
      const requestId = request.header.get(HEADERS.requestId) ?? undefined;
      // After a cancellation by the caller, the error is only its broken stream.
      if (request.signal.aborted) throw new ConnectError("the caller went away", Code.Canceled);
      // Faults are logged only here; the callers that pass the error on do not log it.
      log.error({ err: error, rpc, request_id: requestId }, "request failed");
      if (isOwn) throw toConnectError(error);
      if (isUnavailable(error, code)) {
        throw toConnectError(
          new PaylinkError("service_unavailable", "The service is not available now: try again in a moment."),
        );
      }
      throw new ConnectError("internal error", Code.Internal);
    }
  };
}

function isUnavailable(error: unknown, code: string): boolean {
  if (UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SYSTEM.has(code)) return true;
  return error instanceof Error && UNAVAILABLE_TEXT.test(error.message);
}
