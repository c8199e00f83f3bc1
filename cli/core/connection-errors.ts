import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

const unopened = new WeakSet<Error>();
// Codes of a failed connection, from the system or from Node's HTTP and TLS: ECONNRESET, EPIPE, HPE_INVALID_CONSTANT.
const OF_CONNECTION = /^(E[A-Z0-9]+$|EAI_|HPE_|ERR_SSL_|ERR_STREAM_)/;

/** Notes that a connection ended with this error before it was open: an open one can end with the same code. */
export function noteUnopened(error: Error): void {
  unopened.add(error);
}

/** Returns whether no connection has opened, so that nothing of the request has left this process. */
export function isUnreached(error: unknown): boolean {
  return causesOf(error).some((cause) => unopened.has(cause));
}

/** Returns whether the connection failed. The core has not answered then, so the caller may retry. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.findDetails(ErrorInfoSchema).length > 0) return false;
  return (
    error.code === Code.Aborted ||
    isUnreached(error) ||
    causesOf(error).some((cause) => OF_CONNECTION.test(codeOf(cause)))
  );
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Returns Node's error code. Connect's own codes are numbers. */
function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
