import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { STATUSES, type PublicCode } from "../../contract/error-codes.ts";
import { HEADERS } from "../../contract/headers.ts";

const INTERNAL =
  "Something went wrong on our side: send the request again with the same Idempotency-Key. If it stays so, tell the operator its request_id.";

/** An error of the contract. All its texts are public. */
export class PublicError extends Error {
  readonly code: PublicCode;
  readonly param: string | null;
  /** The original request's id, if the core replayed its answer. */
  readonly replayOf: string | undefined;

  constructor(code: PublicCode, message: string, param: string | null = null, replayOf?: string) {
    super(message);
    this.name = "PublicError";
    this.code = code;
    this.param = param;
    this.replayOf = replayOf;
  }

  get status(): number {
    return STATUSES[this.code];
  }

  /** Returns the body of the answer. */
  toJson(requestId: string): string {
    const { code, message, param } = this;
    return JSON.stringify({ error: { code, message, param, request_id: requestId } });
  }
}

export function invalidRequest(param: string | null, message: string): PublicError {
  return new PublicError("invalid_request", message, param);
}

/** Returns true if the core answered that it is unavailable. It has already logged the reason. */
export function isCoreUnavailable(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const details = error.findDetails(ErrorInfoSchema);
  return details.some(({ domain, reason }) => domain === "paylink" && reason === "service_unavailable");
}

/** Returns any error as the contract shows it, without texts that are not public. */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error;
  if (!(error instanceof ConnectError)) return internalError();
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "paylink");
  if (info && Object.hasOwn(STATUSES, info.reason)) {
    const replayed = error.metadata.get(HEADERS.idempotentReplay) === "true";
    const replayOf = replayed ? (error.metadata.get(HEADERS.requestId) ?? undefined) : undefined;
    const param = info.metadata["param"] ?? null;
    return new PublicError(info.reason as PublicCode, error.rawMessage, param, replayOf);
  }
  if (error.code === Code.Unavailable) {
    return new PublicError("service_unavailable", "The service is not available now: try again in a moment.");
  }
  if (error.code === Code.DeadlineExceeded) {
    return new PublicError(
      "timeout",
      "The request took too long: send it again with the same Idempotency-Key, and it is done once.",
    );
  }
  return internalError();
}

function internalError(): PublicError {
  return new PublicError("internal_error", INTERNAL);
}
