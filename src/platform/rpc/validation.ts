import { create, type DescMessage } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { ViolationsSchema, type Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { createValidateInterceptor } from "@connectrpc/validate";
import { invalidRequest, toConnectError } from "./errors.ts";
import { refuseCardTexts } from "../text/own-texts.ts";
import { refuseUnstorable } from "../text/storable-text.ts";
import { refuseOddTimes } from "../time/timestamps.ts";
import { sentenceOf } from "./violation-text.ts";

// One of the process: it compiles a message's rules at its first request and keeps them. It counts a text's length in
// characters (code points), not in UTF-16 units.
const validate = createValidateInterceptor({ validator: createValidator({ regexMatch }) });

// A list may have thousands of bad entries, and to explain fifty takes as much time as a whole request.
const OF_FIELD_MAX = 16;

/**
 * Validates every request by the rules of its .proto, then for NUL characters, impossible times and numbers of cards in texts. Error:
 * invalid_request with the first violated field as param. The details have the violations of
 * rules, of a field the first 16, both as google.rpc.BadRequest and as protovalidate's message.
 */
export function validateRequests(): Interceptor {
  return (next) => {
    const checked = validate((valid) => {
      if (!valid.stream) {
        refuseUnstorable(valid.method, valid.message);
        refuseOddTimes(valid.method, valid.message);
        refuseCardTexts(valid.method, valid.message);
      }
      return next(valid);
    });
    return (request) => {
      try {
        // Not awaited: what is thrown here is a refusal of the request, and not an error of the call.
        return checked(request);
      } catch (error) {
        throw explained(error, request.method.input);
      }
    };
  };
}

const patterns = new Map<string, RegExp>();

/** The patterns are the schemas' own, which need no protection against a hostile pattern: RE2 takes four times as long. */
function regexMatch(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, "u")));
  return compiled.test(text);
}

function explained(error: unknown, input: DescMessage): unknown {
  if (!(error instanceof ConnectError)) return error;
  const [{ violations: all } = create(ViolationsSchema)] = error.findDetails(ViolationsSchema);
  const violations = firstOfFields(all);
  const [first] = violations;
  if (!first) return error;
  for (const violation of violations) violation.message = sentenceOf(input, violation);
  const problem = invalidRequest(nameOf(first.field) ?? null, first.message);
  const fieldViolations = violations.map((violation) => ({
    field: pathOf(violation),
    reason: violation.ruleId,
    description: violation.message,
  }));
  const refused = toConnectError(problem, undefined, fieldViolations);
  refused.details.push({ desc: ViolationsSchema, value: { violations } });
  return refused;
}

function firstOfFields(violations: readonly Violation[]): Violation[] {
  const counts = new Map<string, number>();
  return violations.filter(({ field }) => {
    const name = nameOf(field) ?? "";
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= OF_FIELD_MAX;
  });
}

/** Returns the name of the request's field, or undefined for the request itself. */
function nameOf(field: Violation["field"]): string | undefined {
  return field?.elements[0]?.fieldName;
}

/** Returns a path such as "metadata" or "payment_methods.values[1]". */
function pathOf({ field }: Violation): string {
  const steps = (field?.elements ?? []).map(({ fieldName, subscript }) =>
    subscript.case === undefined ? fieldName : `${fieldName}[${String(subscript.value)}]`,
  );
  return steps.join(".");
}
