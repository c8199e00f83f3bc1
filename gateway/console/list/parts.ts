import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { Html } from "../../pages/html.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Permission } from "../../../contract/roles.ts";
import type { Columns } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import type { Sorts } from "./columns.ts";
import type { Filters, Values } from "./filters.ts";

/** A page of rows, with all else that the page shows. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page, if there is one. */
  readonly next?: string | undefined;
}

/** A list's page before its rows are known. */
export interface View<Name extends string, Key extends string> {
  readonly visit: Visit;
  readonly t: Translate<Key>;
  readonly values: Values<Name>;
  readonly isFiltered: boolean;
  /** The user may create what the list shows. */
  readonly mayCreate: boolean;
  /** Returns the address of this list, or of another page, with the filters and these changes. */
  readonly address: (changes?: Readonly<Record<string, string | undefined>>, path?: string) => string;
}

/** A list's page. */
export interface FoundView<Name extends string, Key extends string, Page> extends View<Name, Key> {
  readonly found: Page;
}

/** What a list asks its core for. */
export interface Asked<Desc extends DescMessage, Name extends string> {
  /** The filters as fields of the request. */
  readonly filter: MessageInitShape<Desc>;
  /** The place of the page, as a field of the request. */
  readonly cursor: { readonly startingAfter?: string };
  /** The word of the core's order, or "" for the usual one. */
  readonly order: string;
  readonly values: Values<Name>;
}

export interface ListParts<
  Row,
  Page extends Found<Row>,
  Desc extends DescMessage,
  Name extends string,
  Key extends string,
> {
  readonly path: string;
  readonly permission: Permission;
  readonly messages: (language: Language) => Translate<Key>;
  readonly title: Key;
  /** The table's name. Absent: the title. */
  readonly caption?: Key;
  /** A sentence below the heading, which may name the "{mode}". */
  readonly lead?: Key;
  /** The section of the navigation that it is in. Absent: that of the list that leads here, else its own. */
  readonly section?: string;
  /** The list that leads here. */
  readonly trail?: { readonly path: string; readonly title: Key };
  readonly filters?: Filters<Desc, Name, Key>;
  readonly fetch: (visit: Visit, asked: Asked<Desc, Name>) => Promise<Page & Found<Row>>;
  readonly columns: (view: FoundView<Name, Key, Page>) => Columns<Key, Row>;
  /** Columns of amounts, aligned to the right. */
  readonly numbers?: readonly Key[];
  /** True: no row is higher than one line. */
  readonly isOfLines?: boolean;
  /** The columns of a phone's second line, unless the user has chosen columns. Absent: a row is a card there. */
  readonly pocket?: readonly Key[];
  /** Columns that sort the list, if any. With it, the user also chooses the list's columns and saves its views. */
  readonly sorts?: Sorts<Key>;
  /** The number of rows of all pages, if the core counts them. */
  readonly total?: (found: Page) => bigint;
  /** A greater number is counted no further, and shown as more than this one. */
  readonly totalMax?: bigint;
  /** The paragraphs in place of an empty table: what to do next. */
  readonly empty: (view: FoundView<Name, Key, Page>) => readonly Key[];
  /** The page that creates what the list shows. */
  readonly create?: {
    readonly path: string;
    readonly permission: Permission;
    readonly label: Key;
    /** Returns whether no more may be created. */
    readonly isFull?: (found: Page) => boolean;
  };
  /** Links beside the heading, before that to `create`. */
  readonly actions?: (view: FoundView<Name, Key, Page>) => Html | "";
  /** Notices and links above the filters. */
  readonly above?: (view: View<Name, Key>) => Html | "";
  /** How many were found. With it, the list changes while the user types. */
  readonly count?: (view: FoundView<Name, Key, Page>) => Html;
  /** The table and its links to further pages, with their surroundings. */
  readonly around?: (table: Html, view: FoundView<Name, Key, Page>) => Html;
}
