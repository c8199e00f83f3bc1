import { createValidator, type Violation } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { invalidRequest } from "./errors.ts";

/**
 * Holds every request against the rules of its .proto file before a service sees it.
 * Error: invalid_request with the first violated field as param.
 */
export function validateRequests(): Interceptor {
  const validator = createValidator();
  return (next) => (request) => {
    if (!request.stream) {
      const result = validator.validate(request.method.input, request.message);
      if (result.kind === "error") throw result.error;
      const violation = result.kind === "invalid" ? result.violations[0] : undefined;
      if (violation) throw invalidRequest(paramOf(violation), sentence(violation));
    }
    return next(request);
  };
}

function paramOf(violation: Violation): string | null {
  const first = violation.field[0];
  return first !== undefined && "name" in first ? first.name : null;
}

function sentence(violation: Violation): string {
  const text = violation.message.replace(/^value /, "") || "is not valid";
  return `${paramOf(violation) ?? "The request"} ${text}.`;
}
