import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { CONNECT_CODES, type ErrorCode } from "../../../contract/error-codes.ts";

/** An error of the contract. `message` and `param` are public; `cause` is for logs only. */
export class PaylinkError extends Error {
  readonly code: ErrorCode;
  /** The field concerned, in the caller's spelling, or null. */
  readonly param: string | null;
  /** Seconds after which the same request may succeed, if known. */
  readonly retryAfterSeconds: number | undefined;
  /** What a page needs to say the reason in its own language, as texts. */
  readonly facts: Readonly<Record<string, string>>;
  /** What else is wrong with the same request. */
  readonly others: readonly PaylinkError[];

  constructor(
    code: ErrorCode,
    message: string,
    param: string | null = null,
    options?: ErrorOptions & {
      readonly retryAfterSeconds?: number;
      readonly facts?: Readonly<Record<string, string>>;
      readonly others?: readonly PaylinkError[];
    },
  ) {
    super(message, options);
    this.name = "PaylinkError";
    this.code = code;
    this.param = param;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.facts = options?.facts ?? {};
    this.others = options?.others ?? [];
  }
}

export function invalidRequest(param: string | null, message: string): PaylinkError {
  return new PaylinkError("invalid_request", message, param);
}

/** Returns the error for an object that the tenant has not in the caller's mode, or not at all. */
export function noSuch(code: ErrorCode, what: string): PaylinkError {
  const message = `There is no such ${what} in this mode: check the id, and whether it is of test or of live mode.`;
  return new PaylinkError(code, message);
}

/** Returns the error for a repeated submission_id. The response is given only once. */
export function doneAlready(): PaylinkError {
  return new PaylinkError("done_already", "This was done already.", "submission_id");
}

/** The violations of fields: each has a path, a word and a sentence. */
export type FieldViolations = NonNullable<MessageInitShape<typeof BadRequestSchema>["fieldViolations"]>;

/**
 * Returns the error in its wire form: the contract's code and the facts in google.rpc.ErrorInfo, the fields in
 * google.rpc.BadRequest, the time to wait in google.rpc.RetryInfo, and a replay's headers.
 */
export function toConnectError(
  error: PaylinkError,
  headers?: Headers,
  fieldViolations: FieldViolations = ownViolations(error),
): ConnectError {
  const info = create(ErrorInfoSchema, {
    reason: error.code,
    domain: "paylink",
    metadata: { ...error.facts, ...(error.param === null ? {} : { param: error.param }) },
  });
  const badRequest =
    fieldViolations.length > 0 ? [{ desc: BadRequestSchema, value: { fieldViolations } }] : [];
  const retry =
    error.retryAfterSeconds === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(error.retryAfterSeconds * 1000) } }];
  const details = [{ desc: ErrorInfoSchema, value: info }, ...badRequest, ...retry];
  return new ConnectError(error.message, CONNECT_CODES[error.code], headers, details, error.cause);
}

function ownViolations(error: PaylinkError): FieldViolations {
  return [error, ...error.others].flatMap(({ code, param, message }) =>
    param === null ? [] : [{ field: param, reason: code, description: message }],
  );
}

/** Returns the results of all readers. Throws the first refusal with the others of the same request. */
export function readAll<Results extends object>(readers: {
  readonly [Name in keyof Results]: () => Results[Name];
}): Results {
  const refusals: PaylinkError[] = [];
  const results = Object.entries<() => unknown>(readers).map(([name, read]): [string, unknown] => {
    try {
      return [name, read()];
    } catch (error) {
      if (!(error instanceof PaylinkError)) throw error;
      refusals.push(error, ...error.others);
      return [name, undefined];
    }
  });
  const [first, ...others] = refusals;
  if (!first) return Object.fromEntries(results) as Results;
  const { code, message, param, facts, cause } = first;
  throw new PaylinkError(code, message, param, { facts, others, cause });
}
