import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

// With one of these codes nothing of the request has left this process.
const UNREACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);
// Codes of a failed connection, from the system or from Node's HTTP and TLS: ECONNRESET, EPIPE, HPE_INVALID_CONSTANT.
const OF_CONNECTION = /^(E[A-Z0-9]+$|EAI_|HPE_|ERR_SSL_|ERR_STREAM_)/;

/** Returns whether no connection has opened, so that nothing of the request has left this process. */
export function isUnreached(error: unknown): boolean {
  // Node tries every address of a name, then throws all errors together.
  return causesOf(error).some((cause) =>
    cause instanceof AggregateError ? cause.errors.every(isUnreached) : hasNotConnected(cause),
  );
}

/** Returns whether the connection failed. The core has not answered then, so the caller may retry. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.findDetails(ErrorInfoSchema).length > 0) return false;
  return error.code === Code.Aborted || causesOf(error).some((cause) => OF_CONNECTION.test(codeOf(cause)));
}

/** Returns whether the connection failed to open. An open one can end with the same codes after the request left. */
function hasNotConnected(error: Error): boolean {
  const step = "syscall" in error ? error.syscall : undefined;
  return UNREACHED.has(codeOf(error)) && (step === "connect" || step === "getaddrinfo");
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Returns Node's error code. Connect's own codes are numbers. */
function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
