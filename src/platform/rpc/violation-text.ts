import type { DescMessage } from "@bufbuild/protobuf";
import type { Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ruleWords } from "../../../contract/rule-words.ts";
import { violatedField } from "../../../contract/violated-field.ts";

/** Returns a violated rule as a sentence in the contract's words, for example "name must be 1 to 500 characters." */
export function sentenceOf(input: DescMessage, violation: Violation): string {
  const { names, field, kind, isEntry } = violatedField(input, violation);
  const words = field && kind && ruleWords(field, kind, isEntry);
  return `${names.join(".") || "The request"} ${words ?? "is not valid"}.`;
}
