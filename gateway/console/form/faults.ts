import type { DescField } from "@bufbuild/protobuf";
import { webAddress } from "../../../contract/web-address.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Typed } from "../fields/typed.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { DeclaredField } from "./field.ts";
import { limitsOf, type Limits } from "./limits.ts";

// The core has the last word. What it would refuse in any case is found here.
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const WHOLE_NUMBER = /^\d{1,6}$/;

/** Returns all that is wrong with a sent form by the rules of its fields, those of the request that it fills. */
export function faultsIn<Key extends string, Name extends string>(
  visit: Visit,
  t: Translate<Key>,
  fields: ReadonlyMap<Name, DeclaredField<Key>>,
  typed: Typed,
): Problems {
  return new Map(
    [...fields].flatMap(([name, field]) => {
      const fault = faultOf(visit, t, field, typed, name);
      return fault === undefined ? [] : [[name, fault] as const];
    }),
  );
}

/** Returns all that is wrong with plain texts, by the rules of the request's fields that they fill. */
export function textFaults(
  visit: Visit,
  texts: Readonly<Record<string, readonly [field: DescField, text: string]>>,
): Problems {
  return new Map(
    Object.entries(texts).flatMap(([name, [field, text]]) => {
      const fault = ruleFault(visit, limitsOf(field), text);
      return fault === undefined ? [] : [[name, fault] as const];
    }),
  );
}

function faultOf<Key extends string>(
  visit: Visit,
  t: Translate<Key>,
  { field, limits }: DeclaredField<Key>,
  typed: Typed,
  name: string,
): string | undefined {
  if (!("label" in field)) return undefined;
  const texts = typed.texts(name).filter((text) => text.trim() !== "");
  if (field.missing !== undefined && texts.length === 0) return t(field.missing);
  if ("options" in field) {
    const options = new Set(field.options(t, visit).map(([value]) => value));
    return texts.every((text) => options.has(text)) ? undefined : visit.t("refused_field");
  }
  const isSecret = field.kind === "password" || field.kind === "secret";
  const text = isSecret ? typed.lines(name) : typed.text(name);
  if (field.kind === "password" && text === "") return visit.t("field_required");
  if (field.kind === "number") return numberFault(visit, limits, text);
  if (field.kind === "url" && text !== "" && webAddress(text) === null) return visit.t("refused_field");
  return ruleFault(visit, limits, text);
}

function numberFault({ t }: Visit, { numbers }: Limits, text: string): string | undefined {
  if (!WHOLE_NUMBER.test(text)) return t("field_whole_number");
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = numbers;
  return Number(text) < min || Number(text) > max ? t("field_between", { low: min, high: max }) : undefined;
}

function ruleFault(
  { t }: Visit,
  { isRequired, numbers, isEmail, pattern }: Limits,
  text: string,
): string | undefined {
  if (text === "") return isRequired ? t("field_required") : undefined;
  const { maxLength } = numbers;
  if (maxLength !== undefined && Array.from(text).length > maxLength)
    return t("field_too_long_than", { high: maxLength });
  if (isEmail && !EMAIL.test(text)) return t("field_email");
  return pattern && !pattern.test(text) ? t("refused_field") : undefined;
}
