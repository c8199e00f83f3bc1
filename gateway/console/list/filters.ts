import type { DescField, DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { GenEnum } from "@bufbuild/protobuf/codegenv2";
import { enumWords } from "../../../contract/enum-words.ts";
import { ruleKeywords } from "../../openapi/rule-keywords.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate } from "../../pages/messages.ts";
import { beginningOf } from "../day.ts";
import {
  hiddenFields,
  inputField,
  periodFields,
  selectField,
  type InputParts,
  type Option,
} from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** The filters in an address or a form, as texts by their names. Empty: no filter. */
export type Values<Name extends string> = Readonly<Record<Name, string>>;

/** One filter of a list. Two days in succession are a period. */
interface Filter<Key extends string, Field extends string = string> {
  readonly kind: "search" | "day" | "choice" | "hidden";
  readonly label: Key;
  /** The request's field. Absent: the one with the filter's name. */
  readonly field?: Field;
  /** An example in an empty search field. */
  readonly placeholder?: Key;
  /** Shown when the core refuses the value. Absent: a text for the violated rule. */
  readonly refused?: Key;
  /** The values of a choice, and their texts. */
  readonly options?: (visit: Visit, t: Translate<Key>) => readonly Option[] | Promise<readonly Option[]>;
  /** The text for all values. Absent: the usual one. */
  readonly all?: Key;
  /** The text of a chosen value that is not among the options, which has its "{name}". Absent: the value. */
  readonly other?: Key;
}

/** Returns the values of an enum as options, by their words of the contract. */
export function enumOptions<Value extends number>(
  desc: GenEnum<Value>,
  text: (value: Value) => string,
): Option[] {
  return [...enumWords(desc).numberOf].map(([word, value]) => [word, text(value as Value)]);
}

/** The filters of a list. Types, words and limits are those of the request's descriptor. */
export class Filters<Desc extends DescMessage, Name extends string, Key extends string> {
  readonly #messages: (language: Language) => Translate<Key>;
  readonly #all: readonly { readonly name: Name; readonly filter: Filter<Key>; readonly field: DescField }[];
  readonly #complete: (values: Values<Name>) => Values<Name>;

  /** `complete` fills in the values that the user left out. */
  constructor(
    request: Desc,
    messages: (language: Language) => Translate<Key>,
    filters: Readonly<Record<Name, Filter<NoInfer<Key>, keyof Desc["field"] & string>>>,
    complete: (values: Values<Name>) => Values<Name> = (values) => values,
  ) {
    this.#messages = messages;
    this.#complete = complete;
    this.#all = (Object.entries(filters) as [Name, Filter<Key>][]).map(([name, filter]) => {
      const field = request.field[filter.field ?? name];
      if (!field) throw new Error(`${request.typeName} has no field for the filter ${name}`);
      return { name, filter, field };
    });
  }

  /** Returns the values among these texts. A value that its field cannot have is left out. */
  read(textOf: (name: Name) => string | undefined): Values<Name> {
    const pairs = this.#all.map(({ name, field }) => {
      // No stored text has NUL.
      const text = (textOf(name) ?? "").replaceAll("\0", "").trim();
      return [name, isPossible(field, text) ? text : ""];
    });
    return this.#complete(Object.fromEntries(pairs) as Values<Name>);
  }

  /** Returns the values as fields of the core's request. */
  request(values: Values<Name>): MessageInitShape<Desc> {
    const given = this.#all.filter(({ name }) => values[name] !== "");
    const fields = given.map(({ name, field }) => [field.localName, valueOf(field, values[name])]);
    return Object.fromEntries(fields) as MessageInitShape<Desc>;
  }

  /** Returns whether the values differ from those of an address without filters. */
  isFiltered(values: Values<Name>): boolean {
    const none = this.read(() => "");
    return this.#all.some(({ name }) => values[name] !== none[name]);
  }

  /** Returns the core's problems by the names of the filters. Those of no filter concern the whole form. */
  problems(problems: Problems, t: Translate<Key>): Problems {
    return new Map(
      [...problems].map(([param, text]) => {
        const { name = "", filter } = this.#all.find(({ field }) => field.name === param) ?? {};
        return [name, filter?.refused === undefined ? text : t(filter.refused)];
      }),
    );
  }

  /** Returns the form with these values, which sends `kept` too. Without a script a button submits it. */
  async form(
    visit: Visit,
    address: string,
    values: Values<Name>,
    problems: Problems,
    { isLive, kept }: { readonly isLive: boolean; readonly kept: Readonly<Record<string, string>> },
  ): Promise<Html> {
    const t = this.#messages(visit.language);
    const all = this.#all.map(({ name, filter, field }) => {
      return { name, filter, field, label: t(filter.label), value: values[name], problems };
    });
    const fields = all.map(async ({ filter, field, ...parts }, index) => {
      const [previous, next] = [all[index - 1], all[index + 1]];
      switch (filter.kind) {
        case "hidden":
          return hiddenFields({ [parts.name]: parts.value });
        case "search":
          return search(parts, field, filter.placeholder && t(filter.placeholder));
        case "choice":
          return selectField({ ...parts, options: await optionsOf(visit, t, filter, parts.value) });
        case "day":
          if (previous?.filter.kind === "day") return "";
          return next?.filter.kind === "day"
            ? periodFields(parts, next)
            : inputField({ ...parts, type: "date" });
      }
    });
    const shown = await Promise.all(fields);
    const searches = shown.filter((_, index) => all[index]?.filter.kind === "search");
    const others = shown.filter((_, index) => all[index]?.filter.kind !== "search");
    const isOpen = problems.size > 0;
    return html`<form class="filters" method="get" action="${address}" ${isLive ? live(address) : ""}>
      ${searches}
      <details class="fold-of-filters" data-fold="${isOpen ? "open" : ""}" ${isOpen ? html`open` : ""}>
        <summary id="in-use">${visit.t(this.isFiltered(values) ? "filters_in_use" : "filters")}</summary>
        <div class="filters-of-fold">
          ${others} ${hiddenFields(kept)}
          <div class="actions">
            <button>${visit.t("filter")}</button>
            <a href="${address}">${visit.t("clear_filters")}</a>
          </div>
        </div>
      </details>
    </form>`;
  }
}

/**
 * The list, and what it finds wrong with the filters, is replaced while the user types, with the parts beside it.
 * Not on `change`: that comes when the user presses on a row after typing, and would take it away under the click.
 */
function live(address: string): Html {
  return html`role="search" novalidate data-hx-get="${address}" data-hx-trigger="input delay:300ms, submit"
  data-hx-target="#list" data-hx-select="#list" data-hx-select-oob="#found,#actions,#above,#in-use"
  data-hx-swap="outerHTML" data-keeps-address data-hx-sync="this:replace"`;
}

function search(parts: InputParts, field: DescField, placeholder: string | undefined): Html {
  const { maxLength } = ruleKeywords(field).value;
  return html`<div class="field wide">
    ${inputField({
      ...parts,
      type: "search",
      ...(typeof maxLength === "number" ? { maxLength } : {}),
      ...(placeholder === undefined ? {} : { attributes: html`placeholder="${placeholder}"` }),
    })}
  </div>`;
}

/** Returns the options of a choice. A chosen value that is not among them is an option too. */
async function optionsOf<Key extends string>(
  visit: Visit,
  t: Translate<Key>,
  { options, all, other }: Filter<Key>,
  value: string,
): Promise<Option[]> {
  const known = (await options?.(visit, t)) ?? [];
  const isKnown = value === "" || known.some(([one]) => one === value);
  const text = other === undefined ? value : t(other, { name: value });
  const first: Option = ["", all === undefined ? visit.t("all") : t(all)];
  return [first, ...known, ...(isKnown ? [] : [[value, text] as const])];
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
