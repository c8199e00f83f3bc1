import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { kindOf, type RuleKind } from "./rule-words.ts";

/** What a violation is about. */
export interface ViolatedField {
  /** The field's path as REST and gRPC callers write it. */
  readonly names: readonly string[];
  readonly field: DescField | undefined;
  readonly kind: RuleKind | undefined;
  /** True: the violation is of an entry of the list, not of the list. */
  readonly isEntry: boolean;
}

/** Returns the field and the rule that a request with this descriptor violates. */
export function violatedField(input: DescMessage, violation: Violation): ViolatedField {
  const names: string[] = [];
  let message: DescMessage | undefined = input;
  let field: DescField | undefined;
  let isEntry = false;
  for (const { fieldName, subscript } of violation.field?.elements ?? []) {
    field = message?.fields.find(({ name }) => name === fieldName);
    // A message that only wraps a list counts as the list.
    if (!isWrapped(message, fieldName) || names.length === 0) names.push(fieldName);
    message = field?.message;
    isEntry = subscript.case !== undefined;
  }
  return { names, field, kind: kindOf(violation.rule?.elements.at(-1)?.fieldName ?? ""), isEntry };
}

function isWrapped(message: DescMessage | undefined, fieldName: string): boolean {
  return message?.fields.length === 1 && fieldName === "values";
}
