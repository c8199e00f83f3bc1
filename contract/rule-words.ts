import { getOption, hasOption, ScalarType, type DescField } from "@bufbuild/protobuf";
import { field as validated, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { field as fieldOptions } from "../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "./enum-words.ts";

/** The rules of one type, as they are in their message. */
type Typed = Readonly<Record<string, unknown>>;

/** The subject of a rule. All rules with the same subject share one sentence. */
export type RuleKind = "required" | "choice" | "length" | "range" | "count" | "unique" | "format";

const KINDS: Readonly<Record<string, RuleKind>> = {
  required: "required",
  in: "choice",
  not_in: "choice",
  const: "choice",
  defined_only: "choice",
  len: "length",
  min_len: "length",
  max_len: "length",
  gt: "range",
  gte: "range",
  lt: "range",
  lte: "range",
  min_items: "count",
  max_items: "count",
  max_pairs: "count",
  unique: "unique",
  pattern: "format",
  email: "format",
};

/** Returns the subject of the rule with this name, or undefined if the rule has no words here. */
export function kindOf(rule: string): RuleKind | undefined {
  return KINDS[rule];
}

/**
 * Returns the end of a sentence that says what a field must be: "must be 1 to 500 characters". With `ofEntries`, it is
 * about the entries of a list. Returns undefined if the field has no rule of that kind.
 */
export function ruleWords(field: DescField, kind: RuleKind, ofEntries = false): string | undefined {
  if (kind === "required") return "is required";
  if (kind === "unique") return "must not have an entry twice";
  if (kind === "choice") return choiceWords(field);
  const typed = typedRules(field, ofEntries);
  const words = typed && wordsOf(field, kind, typed);
  if (words === undefined) return undefined;
  if (words === "") return ofEntries ? "must not have an empty entry" : "must not be empty";
  if (!ofEntries) return `must be ${words}`;
  return `must have entries ${kind === "format" ? "that are" : "of"} ${words}`;
}

/** Returns the words after "must be", or an empty text for "must not be empty". */
function wordsOf(field: DescField, kind: RuleKind, typed: Typed): string | undefined {
  switch (kind) {
    case "length":
      return lengthWords(typed, unitOf(field));
    case "range":
      return rangeWords(typed);
    case "count":
      return countWords(typed);
    default: {
      const { format } = getOption(field, fieldOptions);
      if (isCase(typed["wellKnown"], "email")) return "an e-mail address";
      return format === "" ? undefined : format;
    }
  }
}

/**
 * Returns "must be pix or card", or "must be a subset of pix, card" for a list, or undefined if any text is allowed.
 */
export function choiceWords(field: DescField): string | undefined {
  const words = allowedWords(field);
  if (!words) return undefined;
  if (field.fieldKind === "list") return `must be a subset of ${words.join(", ")}`;
  return words.length > 2 ? `must be one of ${words.join(", ")}` : `must be ${words.join(" or ")}`;
}

/** Returns the words that a field may have, or undefined if it may have any text. */
export function allowedWords(field: DescField): readonly string[] | undefined {
  const typed = typedRules(field, field.fieldKind === "list");
  const allowed = (typed?.["in"] ?? []) as readonly (string | number | bigint)[];
  if (!field.enum) return allowed.length > 0 ? allowed.map(String) : undefined;
  const { wordOf } = enumWords(field.enum);
  return [...wordOf]
    .filter(([number]) => allowed.length === 0 || allowed.includes(number))
    .map(([, word]) => word);
}

/** Returns the rules on the field's own type, or on a list's entries with `ofEntries`. */
function typedRules(field: DescField, ofEntries: boolean): Typed | undefined {
  if (!hasOption(field, validated)) return undefined;
  const own: FieldRules | undefined = getOption(field, validated);
  const rules =
    ofEntries && own.type.case === "repeated" ? own.type.value.items : ofEntries ? undefined : own;
  return rules?.type.value;
}

/** Reads a bound of a number, which is in a oneof: { case: "gte", value }. */
function boundOf(choice: unknown, inclusive: string): bigint | undefined {
  const { case: name, value } = (choice ?? {}) as { case?: string; value?: number | bigint };
  if (name === undefined || value === undefined) return undefined;
  const step = name === inclusive ? 0n : name.startsWith("g") ? 1n : -1n;
  return BigInt(value) + step;
}

/** The bounds of a value or of its length, both allowed. */
export interface Limits {
  readonly least: bigint | undefined;
  readonly most: bigint | undefined;
}

/** Returns the bounds that a field's rules of this kind name, or those of a list's entries. */
export function limitsOf(field: DescField, kind: RuleKind, ofEntries = false): Limits {
  const typed = typedRules(field, ofEntries) ?? {};
  if (kind === "range") return rangeLimits(typed);
  return kind === "length" ? lengthLimits(typed) : { least: undefined, most: undefined };
}

function lengthLimits(typed: Typed): Limits {
  const { len, minLen, maxLen } = typed as { len?: bigint; minLen?: bigint; maxLen?: bigint };
  if (isSet(len)) return { least: len, most: len };
  return { least: isSet(minLen) ? minLen : undefined, most: isSet(maxLen) ? maxLen : undefined };
}

function rangeLimits(typed: Typed): Limits {
  return { least: boundOf(typed["greaterThan"], "gte"), most: boundOf(typed["lessThan"], "lte") };
}

function rangeWords(typed: Typed): string | undefined {
  const { least, most } = rangeLimits(typed);
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? undefined : `at most ${most}`;
}

function lengthWords(typed: Typed, unit: string): string | undefined {
  const { least, most } = lengthLimits(typed);
  if (least !== undefined && least === most) return `${least} ${unit}`;
  if (least !== undefined && most !== undefined) return `${least} to ${most} ${unit}`;
  if (most !== undefined) return `at most ${most} ${unit}`;
  if (least === undefined) return undefined;
  return least === 1n ? "" : `at least ${least} ${unit}`;
}

function countWords(typed: Typed): string | undefined {
  const {
    minItems,
    maxPairs,
    maxItems = maxPairs,
  } = typed as Partial<Record<"minItems" | "maxItems" | "maxPairs", bigint>>;
  if (isSet(minItems) && isSet(maxItems)) return `a list of ${minItems} to ${maxItems} entries`;
  if (isSet(maxItems)) return `a list of at most ${maxItems} entries`;
  if (!isSet(minItems)) return undefined;
  return `a list of at least ${minItems} ${minItems === 1n ? "entry" : "entries"}`;
}

/** An unset bound of proto2 reads as its default, 0. No rule here uses 0. */
function isSet(bound: bigint | undefined): bound is bigint {
  return bound !== undefined && bound > 0n;
}

function isCase(choice: unknown, name: string): boolean {
  return (choice as { case?: string } | undefined)?.case === name;
}

function unitOf(field: DescField): string {
  return field.scalar === ScalarType.BYTES ? "bytes" : "characters";
}
