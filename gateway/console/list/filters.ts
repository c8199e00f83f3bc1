import type { DescField, DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { GenEnum } from "@bufbuild/protobuf/codegenv2";
import { enumWords } from "../../../contract/enum-words.ts";
import { ruleKeywords } from "../../openapi/rule-keywords.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate } from "../../pages/messages.ts";
import { beginningOf } from "../day.ts";
import type { Option } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** The filters in an address or a form, as texts by their names. Empty: no filter. */
export type Values<Name extends string> = Readonly<Record<Name, string>>;

/** One filter of a list. */
export interface Filter<Key extends string, Field extends string = string> {
  readonly kind: "search" | "day" | "choice" | "hidden";
  /** The request's field. Absent: the one with the filter's name. */
  readonly field?: Field;
  readonly label: Key;
  /** An example in an empty search field. */
  readonly placeholder?: Key;
  /** Shown when the core refuses the value. Absent: a text for the violated rule. */
  readonly refused?: Key;
  /** The texts of a choice's values. */
  readonly options?: (visit: Visit, t: Translate<Key>) => readonly Option[] | Promise<readonly Option[]>;
  /** The text of the choice of all. Absent: that of every list. */
  readonly all?: Key;
  /** The text of a chosen value that is not among the options. Absent: the value. */
  readonly other?: Key;
}

/** Returns the values of an enum as options, with their words of the contract. */
export function enumOptions<Value extends number>(
  desc: GenEnum<Value>,
  text: (value: Value) => string,
): readonly Option[] {
  return [...enumWords(desc).numberOf].map(([word, value]) => [word, text(value as Value)]);
}

/** A list's filters. Types, words and limits are those of the request's descriptor. */
export class Filters<Desc extends DescMessage, Name extends string, Key extends string> {
  readonly all: readonly (readonly [Name, Filter<Key>])[];
  readonly messages: (language: Language) => Translate<Key>;
  readonly #fields: Readonly<Record<Name, DescField>>;
  readonly #complete: (values: Values<Name>) => Values<Name>;

  /** `complete` fills in the filters that the user left out. */
  constructor(
    request: Desc,
    messages: (language: Language) => Translate<Key>,
    filters: Readonly<Record<Name, Filter<NoInfer<Key>, keyof Desc["field"] & string>>>,
    complete: (values: Values<Name>) => Values<Name> = (values) => values,
  ) {
    this.all = Object.entries(filters) as [Name, Filter<Key>][];
    this.messages = messages;
    this.#fields = mapped(this.all, (name, { field = name }) => {
      const found = request.field[field];
      if (!found) throw new Error(`${request.typeName} has no field ${field}`);
      return found;
    });
    this.#complete = complete;
  }

  /** Returns the values among these texts. A value that its field cannot have is left out. */
  read(textOf: (name: Name) => string | undefined): Values<Name> {
    return this.#complete(
      mapped(this.all, (name) => {
        const text = (textOf(name) ?? "").trim();
        return isPossible(this.#fields[name], text) ? text : "";
      }),
    );
  }

  /** Returns the values as fields of the core's request. */
  request(values: Values<Name>): MessageInitShape<Desc> {
    const fields = this.all.flatMap(([name]) => {
      const field = this.#fields[name];
      return values[name] === "" ? [] : [[field.localName, valueOf(field, values[name])] as const];
    });
    return Object.fromEntries(fields) as MessageInitShape<Desc>;
  }

  /** Returns whether the values leave out more than an address without filters does. */
  isFiltered(values: Values<Name>): boolean {
    const none = this.read(() => "");
    return this.all.some(([name]) => values[name] !== none[name]);
  }

  /** Returns the core's problems by the names of the filters. Those of no filter concern the whole form. */
  problems(problems: Problems, t: Translate<Key>): Problems {
    return new Map(
      [...problems].map(([field, text]) => {
        const [name = "", filter] = this.all.find(([known]) => this.#fields[known].name === field) ?? [];
        return [name, filter?.refused === undefined ? text : t(filter.refused)];
      }),
    );
  }

  /** Returns the longest text that the filter's field takes, or undefined without a limit. */
  maxLength(name: Name): number | undefined {
    return ruleKeywords(this.#fields[name]).value["maxLength"] as number | undefined;
  }
}

function mapped<Name extends string, Value>(
  filters: readonly (readonly [Name, Filter<string>])[],
  change: (name: Name, filter: Filter<string>) => Value,
): Record<Name, Value> {
  return Object.fromEntries(filters.map(([name, filter]) => [name, change(name, filter)])) as Record<
    Name,
    Value
  >;
}

function isPossible(field: DescField, text: string): boolean {
  if (field.fieldKind === "enum") return enumWords(field.enum).numberOf.has(text);
  if (field.fieldKind === "message") return beginningOf(text) !== undefined;
  const { enum: known } = ruleKeywords(field).value;
  return !Array.isArray(known) || known.includes(text);
}

/** Returns a possible text as the field's value. A field of time begins with a day. */
function valueOf(field: DescField, text: string) {
  if (field.fieldKind === "enum") return enumWords(field.enum).numberOf.get(text);
  return field.fieldKind === "message" ? beginningOf(text) : text;
}
