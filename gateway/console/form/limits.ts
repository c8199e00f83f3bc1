import { getOption, type DescField } from "@bufbuild/protobuf";
import { field as rulesOf, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** What the contract allows in a field of a request. */
export interface Limits {
  readonly isRequired: boolean;
  /** The numbers in its rules, which a text may name: maxLength, min, max and maxItems. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly isEmail: boolean;
  readonly pattern?: RegExp;
}

export const NO_LIMITS: Limits = { isRequired: false, numbers: {}, isEmail: false };

/** Returns the limits of a request's field. */
export function limitsOf(field: DescField): Limits {
  const rules = getOption(listed(field), rulesOf);
  const texts = rules.type.case === "string" ? rules.type.value : undefined;
  return {
    isRequired: rules.required || refusesEmpty(rules),
    numbers: numbersOf(rules),
    isEmail: texts?.wellKnown.case === "email",
    ...(texts?.pattern ? { pattern: new RegExp(texts.pattern, "u") } : {}),
  };
}

/** Returns one limit of a request's field. Throws Error if the contract has none. */
export function limitOf(field: DescField, name: "maxLength" | "max" | "maxItems"): number {
  const limit = limitsOf(field).numbers[name];
  if (limit === undefined) throw new Error(`${field.toString()} has no ${name}`);
  return limit;
}

/** Returns the list in a message that only wraps it, else the field itself. */
function listed(field: DescField): DescField {
  return field.message?.fields.find(({ name }) => name === "values") ?? field;
}

function refusesEmpty({ type }: FieldRules): boolean {
  return type.case === "string" && (type.value.minLen > 0n || type.value.wellKnown.case === "email");
}

function numbersOf({ type }: FieldRules): Record<string, number> {
  switch (type.case) {
    case "string":
    case "bytes":
      return type.value.maxLen > 0n ? { maxLength: Number(type.value.maxLen) } : {};
    case "repeated":
      return type.value.maxItems > 0n ? { maxItems: Number(type.value.maxItems) } : {};
    case "int32":
    case "int64": {
      const { greaterThan, lessThan } = type.value;
      return {
        ...(greaterThan.case === "gte" ? { min: Number(greaterThan.value) } : {}),
        ...(lessThan.case === "lte" ? { max: Number(lessThan.value) } : {}),
      };
    }
    default:
      return {};
  }
}
