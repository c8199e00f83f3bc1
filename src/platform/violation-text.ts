import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { kindOf, ruleWords } from "../../contract/rule-words.ts";

/** Returns a violated rule as a sentence in the contract's words, for example "name must be 1 to 500 characters." */
export function sentenceOf(input: DescMessage, violation: Violation): string {
  const { names, field, isEntry } = violated(input, violation);
  const kind = kindOf(violation.rule?.elements.at(-1)?.fieldName ?? "");
  const words = field && kind && ruleWords(field, kind, isEntry);
  return `${names.join(".") || "The request"} ${words ?? "is not valid"}.`;
}

interface Violated {
  /** The field's path as REST and gRPC callers write it. */
  readonly names: readonly string[];
  readonly field: DescField | undefined;
  readonly isEntry: boolean;
}

function violated(input: DescMessage, { field: path }: Violation): Violated {
  const names: string[] = [];
  let message: DescMessage | undefined = input;
  let found: DescField | undefined;
  let isEntry = false;
  for (const { fieldName, subscript } of path?.elements ?? []) {
    found = message?.fields.find(({ name }) => name === fieldName);
    // A message that only wraps a list counts as the list.
    if (!isWrapped(message, fieldName) || names.length === 0) names.push(fieldName);
    message = found?.message;
    isEntry = subscript.case !== undefined;
  }
  return { names, field: found, isEntry };
}

function isWrapped(message: DescMessage | undefined, fieldName: string): boolean {
  return message?.fields.length === 1 && fieldName === "values";
}
