import type { DescMessage } from "@bufbuild/protobuf";
import { html, type Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Typed } from "../fields/typed.ts";
import { choiceField, colorField, inputField, selectField, textField, type Option } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { limitsOf, NO_LIMITS, type Limits } from "./limits.ts";

const NUMBER_LENGTH = 6;

/** A key of the room's messages, or a text that was not written here. */
export type Text<Key extends string> = Key | { readonly text: string };

interface Labelled<Key extends string> {
  readonly label: Text<Key>;
  /** May name the field's limits, as {max}. */
  readonly help?: Text<Key> | ((visit: Visit) => Key);
  /** The request's field, if its name is another; null: none. */
  readonly fills?: string | null;
  /** The problem when nothing was given, although the request may do without it. */
  readonly missing?: Key;
  /** The problem in place of the core's, when the core refuses what was given. May name the field's limits. */
  readonly refused?: Key;
}

/** A field of a form. Its limits are those of the request's field that it fills. */
export type Field<Key extends string> =
  | (Labelled<Key> & { readonly kind: "text" | "email" | "url" | "date" | "number" | "amount" | "lines" })
  /** "#rrggbb", with a picker where there is a script. */
  | (Labelled<Key> & { readonly kind: "color"; readonly pick: NoInfer<Key> })
  | (Labelled<Key> & { readonly kind: "password"; readonly autocomplete: string })
  /** Never filled in again when the form is shown again. */
  | (Labelled<Key> & { readonly kind: "secret"; readonly hasLines?: boolean })
  | (Labelled<Key> & {
      readonly kind: "select" | "radio" | "checkbox";
      readonly options: (t: Translate<Key>, visit: Visit) => readonly Option[];
    })
  /** Not shown. A form always begins with its initial value, also when it is shown again. */
  | { readonly kind: "hidden" }
  /** Written by the room itself. */
  | { readonly kind: "own"; readonly show: (visit: Visit) => Html };

export interface DeclaredField<Key extends string> {
  readonly field: Field<Key>;
  readonly limits: Limits;
}

/** Returns the fields with their limits. Throws Error if one fills no field of the request. */
export function declared<Key extends string, Name extends string>(
  request: DescMessage | undefined,
  fields: Readonly<Record<Name, Field<Key>>> | undefined,
): ReadonlyMap<Name, DeclaredField<Key>> {
  const all = Object.entries(fields ?? {}) as [Name, Field<Key>][];
  return new Map(
    all.map(([name, field]) => {
      if (!("label" in field) || field.fills === null) return [name, { field, limits: NO_LIMITS }];
      const filled = request?.fields.find((candidate) => candidate.name === (field.fills ?? name));
      if (!filled) throw new Error(`the field ${name} fills none of the request`);
      return [name, { field, limits: limitsOf(filled) }];
    }),
  );
}

/** Returns a field's label, or undefined for one that the form shows without. */
export function labelOf<Key extends string>(
  { field, limits }: DeclaredField<Key>,
  t: Translate<Key>,
): string | undefined {
  return "label" in field ? textIn(field.label, limits, t) : undefined;
}

function textIn<Key extends string>(text: Text<Key>, { numbers }: Limits, t: Translate<Key>): string {
  return typeof text === "string" ? t(text, numbers) : text.text;
}

/** What a form shows in one request. */
export interface Content<Key extends string> {
  readonly t: Translate<Key>;
  readonly typed: Typed;
  readonly initial: Typed;
  readonly problems: Problems;
}

export function showField<Key extends string>(
  visit: Visit,
  name: string,
  { field, limits }: DeclaredField<Key>,
  { t, typed, initial, problems }: Content<Key>,
): Html {
  if (field.kind === "own") return field.show(visit);
  if (field.kind === "hidden") {
    return html`<input type="hidden" name="${name}" value="${initial.text(name)}" />`;
  }
  const { isRequired, numbers } = limits;
  const help = typeof field.help === "function" ? field.help(visit) : field.help;
  const label = textIn(field.label, limits, t);
  const parts = { name, label, problems, ...(help ? { help: textIn(help, limits, t) } : {}) };
  const value = typed.text(name);
  switch (field.kind) {
    case "lines":
      return textField({ ...parts, value: typed.lines(name) });
    case "select":
      return selectField({
        ...parts,
        options: field.options(t, visit),
        value: typed.text(name, initial.text(name)),
      });
    case "radio":
    case "checkbox": {
      const { kind, options } = field;
      return choiceField({ ...parts, kind, options: options(t, visit), chosen: typed.texts(name) });
    }
    case "password":
      return inputField({ ...parts, type: "password", autocomplete: field.autocomplete, isRequired: true });
    case "secret":
      return field.hasLines
        ? textField(parts)
        : inputField({ ...parts, type: "password", autocomplete: "off", isRequired });
    case "color":
      return colorField({ ...parts, value, pick: t(field.pick) });
    case "amount":
      return inputField({ ...parts, inputmode: "decimal", value });
    case "number":
      return inputField({
        ...parts,
        inputmode: "numeric",
        isRequired: true,
        maxLength: NUMBER_LENGTH,
        value,
      });
    default: {
      const { maxLength } = numbers;
      const limit = maxLength === undefined ? {} : { maxLength };
      return inputField({ ...parts, type: field.kind, isRequired, ...limit, value });
    }
  }
}
