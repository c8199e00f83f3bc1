import type { DescMessage } from "@bufbuild/protobuf";
import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { inputField, periodFields, selectField, type Option } from "../parts/form.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { Filter, Filters, Values } from "./filters.ts";

// The list, and what it finds wrong with the filters, is replaced while the user types. So are these parts.
const RENEWED = "#found,#actions,#above";

/** Returns the form of a list's filters, with their values. Without a script a button submits it. */
export async function filterForm<Name extends string, Key extends string>(
  visit: Visit,
  address: string,
  filters: Filters<DescMessage, Name, Key>,
  values: Values<Name>,
  problems: Problems,
  isLive: boolean,
): Promise<Html> {
  const live = html`role="search" novalidate data-hx-get="${address}" data-hx-trigger="input delay:300ms,
  change delay:50ms, submit" data-hx-target="#list" data-hx-select="#list" data-hx-select-oob="${RENEWED}"
  data-hx-swap="outerHTML" data-keeps-address data-hx-sync="this:replace"`;
  return html`<form class="filters" method="get" action="${address}" ${isLive ? live : ""}>
    ${await fields(visit, filters, values, problems)}
    <div class="actions">
      <button>${visit.t("filter")}</button>
      <a href="${address}">${visit.t("clear_filters")}</a>
    </div>
  </form>`;
}

/** Returns the fields in their order. The last day of a period is beside its first. */
async function fields<Name extends string, Key extends string>(
  visit: Visit,
  filters: Filters<DescMessage, Name, Key>,
  values: Values<Name>,
  problems: Problems,
): Promise<readonly (Html | "")[]> {
  const t = filters.messages(visit.language);
  const parts = (name: Name, { label }: Filter<Key>) => {
    return { name, label: t(label), value: values[name], problems };
  };
  return await Promise.all(
    filters.all.map(async ([name, filter], index) => {
      const [next, previous] = [filters.all[index + 1], filters.all[index - 1]];
      const own = parts(name, filter);
      switch (filter.kind) {
        case "hidden":
          return own.value === "" ? "" : html`<input type="hidden" name="${name}" value="${own.value}" />`;
        case "search":
          return search(own, filters.maxLength(name), filter.placeholder && t(filter.placeholder));
        case "choice":
          return selectField({ ...own, options: await optionsOf(visit, t, filter, own.value) });
        case "day":
          if (previous?.[1].kind === "day") return "";
          if (next?.[1].kind === "day") return periodFields(own, parts(...next));
          return inputField({ ...own, type: "date" });
      }
    }),
  );
}

function search(
  parts: Parameters<typeof inputField>[0],
  maxLength: number | undefined,
  placeholder: string | undefined,
): Html {
  return html`<div class="field wide">
    ${inputField({
      ...parts,
      type: "search",
      ...(maxLength === undefined ? {} : { maxLength }),
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
  return [
    ["", all === undefined ? visit.t("all") : t(all)],
    ...known,
    ...(isKnown ? [] : [[value, text] as const]),
  ];
}
