import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import { html, type Html } from "../../pages/html.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate } from "../../pages/messages.ts";
import { consolePage } from "../frame.ts";
import { problemList } from "../parts/form.ts";
import { pager, rowTable, withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { chosenColumns, columnForm, columnsAsked, orderOf, sortLinks } from "./columns.ts";
import type { Values } from "./filters.ts";
import type { Asked, Found, FoundView, ListParts, View } from "./parts.ts";
import { nextPlace, placeOf, previousPlace } from "./place.ts";
import { viewLinks, viewRoutes } from "./views.ts";

const PROBLEM_STATUS = 422;
/** The core counts the rows of most lists no further than one more. */
export const COUNTED_MAX = 1000n;

/** The page of a list: query, filters, the core's request, filter form, table and links to further pages. */
class ListPage<
  Row,
  Page extends Found<Row>,
  Desc extends DescMessage,
  Name extends string,
  Key extends string,
> {
  readonly #parts: ListParts<Row, Page, Desc, Name, Key>;

  constructor(parts: ListParts<Row, Page, Desc, Name, Key>) {
    this.#parts = parts;
  }

  addTo(routes: ConsoleRoutes): void {
    const { path, permission, sorts } = this.#parts;
    routes.page(path, permission, async (visit) => await this.show(visit));
    if (sorts) viewRoutes(routes, path, permission);
  }

  /** Shows the list, with the filters in the address by default, and with the problems of a form on its page. */
  async show(
    visit: Visit,
    shown: { readonly values?: Values<Name>; readonly problems?: Problems } = {},
  ): Promise<FastifyReply> {
    const { filters, fetch, create } = this.#parts;
    const { problems = NO_PROBLEMS } = shown;
    const view = this.#view(visit, shown.values ?? filters?.read((name) => visit.query[name]));
    const { after } = placeOf(visit);
    const asked: Asked<Desc, Name> = {
      filter: (filters?.request(view.values) ?? {}) as MessageInitShape<Desc>,
      cursor: after === "" ? {} : { startingAfter: after },
      values: view.values,
      order: orderOf(visit, this.#parts.sorts ?? {}),
    };
    try {
      const found = await fetch(visit, asked);
      const mayCreate = view.mayCreate && !create?.isFull?.(found);
      const page = await this.#page({ ...view, mayCreate }, problems, { ...view, mayCreate, found });
      return await visit.show(page, problems.size === 0 ? 200 : PROBLEM_STATUS);
    } catch (error) {
      const refused = problemsOf(error, visit.t);
      if (!filters || !refused) throw error;
      return await visit.show(await this.#page(view, filters.problems(refused, view.t)), PROBLEM_STATUS);
    }
  }

  #view(visit: Visit, values = {} as Values<Name>): View<Name, Key> {
    const { path, messages, filters, create } = this.#parts;
    const kept = { ...values, ...this.#kept(visit) };
    return {
      visit,
      t: messages(visit.language),
      values,
      isFiltered: filters?.isFiltered(values) ?? false,
      mayCreate: create !== undefined && visit.can(create.permission),
      address: (changes = {}, to = path) => withQuery(visit.path(to), { ...kept, ...changes }),
    };
  }

  /** Returns what an address keeps besides the filters. */
  #kept(visit: Visit): Record<string, string> {
    const { sorts } = this.#parts;
    return sorts ? { order: orderOf(visit, sorts), cols: columnsAsked(visit) } : {};
  }

  /** Returns the page. Without `found`, it shows the problems of the filters alone. */
  async #page(view: View<Name, Key>, problems: Problems, found?: FoundView<Name, Key, Page>): Promise<Html> {
    const { path, title, lead, trail, section, filters, above, actions, count, sorts } = this.#parts;
    const { visit, t, values, mayCreate } = view;
    const isLive = count !== undefined;
    // A live list replaces these parts.
    const part = (id: string, content: Html | ""): Html | "" =>
      isLive ? html`<div id="${id}">${content}</div>` : content;
    const results = html`${problemList(visit, problems)} ${found ? this.#results(found) : ""}`;
    const links = actions ? html`<div id="actions" class="actions">${found ? actions(found) : ""}</div>` : "";
    return consolePage(visit, {
      title: t(title),
      section: section ?? trail?.path ?? path,
      ...(trail ? { trail: { ...trail, title: t(trail.title) } } : {}),
      actions: actions || mayCreate ? html`${links} ${this.#createLink(view)}` : "",
      content: html`${above ? part("above", above(view)) : ""}
      ${lead ? html`<p class="quiet">${t(lead, { mode: visit.t(`mode_${visit.mode}`) })}</p>` : ""}
      ${filters ? await filters.form(visit, visit.path(path), values, problems, { isLive, kept: this.#kept(visit) }) : ""}
      ${sorts && !visit.isPartial ? html`<div class="folds">${await viewLinks(visit, path, Object.keys({ ...values, ...this.#kept(visit) }))} ${found ? this.#columnForm(found) : ""}</div>` : ""}
      ${count ? html`<div id="found" role="status">${found ? count(found) : ""}</div>` : ""}
      ${part("list", results)}`,
    });
  }

  #createLink({ visit, t, mayCreate }: View<Name, Key>): Html | "" {
    const { create } = this.#parts;
    if (!create || !mayCreate) return "";
    return html`<a class="button primary" href="${visit.path(create.path)}">${t(create.label)}</a>`;
  }

  /** Returns the table, or what to do next if it is empty, and the links to the next page and the first. */
  #results(view: FoundView<Name, Key, Page>): Html {
    const {
      path,
      title,
      caption = title,
      columns,
      numbers = [],
      empty,
      around,
      sorts,
      isOfLines = false,
      pocket,
    } = this.#parts;
    const { visit, t, found, isFiltered, address } = view;
    const clear = html`<a href="${visit.path(path)}">${visit.t("clear_filters")}</a>`;
    const further = isFiltered ? clear : this.#createLink(view);
    const table = rowTable(t, {
      caption: t(caption),
      isOfLines,
      pocket: columnsAsked(visit) === "" ? pocket : undefined,
      columns: sorts ? chosenColumns(columns(view), columnsAsked(visit)) : columns(view),
      numbers,
      ...(sorts ? { sorts: sortLinks(visit, sorts, address) } : {}),
      rows: found.rows,
      empty: html`${empty(view).map((key) => html`<p>${t(key)}</p>`)}
      ${further ? html`<p>${further}</p>` : ""}`,
    });
    const paged = html`${table} ${this.#pager(view)}`;
    return around ? around(paged, view) : paged;
  }

  #pager({ visit, found, address }: FoundView<Name, Key, Page>): Html | "" {
    const place = placeOf(visit);
    const { next, rows } = found;
    const previous = previousPlace(place);
    const number = (value: number | bigint): string => value.toLocaleString(visit.language);
    const numbers = { from: number(place.row + 1), to: number(place.row + rows.length) };
    const { totalMax } = this.#parts;
    const total = this.#parts.total?.(found);
    const totalText = (count: bigint): string =>
      totalMax !== undefined && count > totalMax ? `${number(totalMax)}+` : number(count);
    return pager(visit, {
      next: next === undefined ? undefined : address(nextPlace(place, next, rows.length)),
      previous: previous && address(previous),
      rows:
        rows.length === 0 || (total === undefined && next === undefined && !previous)
          ? ""
          : total === undefined
            ? visit.t("rows", numbers)
            : visit.t("rows_of", { ...numbers, total: totalText(total) }),
    });
  }

  #columnForm(view: FoundView<Name, Key, Page>): Html {
    const { path, columns } = this.#parts;
    const { visit, t, values } = view;
    return columnForm(visit, t, columns(view), path, { ...values, ...this.#kept(visit), cols: "" });
  }
}

/** Returns the page of a list. */
export function list<
  Row,
  Page extends Found<Row>,
  Desc extends DescMessage,
  Name extends string,
  Key extends string,
>(
  parts: ListParts<Row, Page, Desc, Name, NoInfer<Key>> & {
    readonly messages: (language: Language) => Translate<Key>;
  },
): ListPage<Row, Page, Desc, Name, Key> {
  return new ListPage(parts);
}

/** Returns how many rows are on a page. */
export function countOnPage(
  t: Translate<"found_none" | "found_one" | "found">,
  { rows: { length } }: Found<unknown>,
): Html {
  const text = length === 0 ? t("found_none") : t(length === 1 ? "found_one" : "found", { n: length });
  return html`<p class="quiet">${text}</p>`;
}
