import { defined } from "../../../contract/defined.ts";
import { DELIVERED_TYPES } from "../../../contract/event-types.ts";
import {
  DeliveryStatusSchema,
  ListDeliveriesRequestSchema,
  type Delivery,
  type WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { figuresOf } from "../parts/figures.ts";
import { html, type Html } from "../../pages/html.ts";
import { columnsAsked, orderOf, type Sorts } from "../list/columns.ts";
import { enumOptions, Filters } from "../list/filters.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import { cursorOf } from "../parts/cursor.ts";
import { hiddenFields, hiddenToken } from "../parts/form.ts";
import { cut, notice, time } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { listEndpoints } from "./endpoint-lookup.ts";
import { answerText, deliveryBadge, statusText, typeText } from "./texts.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";

const PAGE = 20;
const NAME_MAX = 48;
const RESEND_FORM = "resend";

/** The filters of the delivery log. */
export const filters = new Filters(ListDeliveriesRequestSchema, messagesIn, {
  endpoint: {
    kind: "choice",
    field: "endpointId",
    label: "endpoint",
    all: "any",
    options: async (visit) => (await listEndpoints(visit)).map(({ id, url }) => [id, shortUrl(url)]),
  },
  status: {
    kind: "choice",
    label: "status",
    all: "any",
    options: (_, t) => enumOptions(DeliveryStatusSchema, (status) => statusText(t, status)),
  },
  type: {
    kind: "choice",
    field: "eventType",
    label: "type",
    all: "any",
    options: (_, t) => DELIVERED_TYPES.map((type) => [type, t(type)]),
  },
  since: { kind: "day", label: "since" },
});

const sorts: Sorts<"begun"> = { begun: ["begun_desc", "begun_asc"] };

/** The delivery log, newest first. */
export const deliveryList = list({
  path: "/webhooks/deliveries",
  permission: "webhooks.read",
  messages: messagesIn,
  title: "deliveries",
  trail: { path: "/webhooks", title: "title" },
  above: ({ visit, t }) => resentNotice(visit, t),
  filters,
  sorts,
  fetch: async (visit, { filter, cursor, order }) => {
    const startingAfter = cursorOf(cursor.startingAfter, "dlv");
    const asked = { ...filter, ...defined({ startingAfter }), limit: PAGE };
    const request = { filter: asked, isOldestFirst: order === "begun_asc" };
    const [{ page, deliveryCount }, endpoints] = await Promise.all([
      visit.core.webhooks.searchDeliveries(request, visit.as),
      listEndpoints(visit),
    ]);
    return { rows: page?.deliveries ?? [], next: page?.nextCursor, deliveryCount, endpoints };
  },
  total: ({ deliveryCount }) => BigInt(deliveryCount),
  totalMax: COUNTED_MAX,
  columns: ({ visit, t, found: { endpoints } }) =>
    deliveryColumns(visit, t, {
      endpoints,
      ...(visit.can("webhooks.write")
        ? { choosing: { form: RESEND_FORM, chosen: visit.texts("delivery") } }
        : {}),
    }),
  isOfLines: true,
  numbers: ["attempts"],
  empty: () => ["deliveries_empty"],
  around: (table, { visit, t, values, found: { rows } }) =>
    html`${table}
    ${
      visit.can("webhooks.write") && rows.length > 0
        ? html`<form method="post" id="${RESEND_FORM}" action="${visit.path("/webhooks/deliveries/resend")}">
            ${hiddenToken(visit)}
            ${hiddenFields({ ...values, order: orderOf(visit, sorts), cols: columnsAsked(visit) })}
            <button>${t("resend_chosen")}</button>
          </form>`
        : ""
    }`,
});

function resentNotice(visit: Visit, t: Translate): Html {
  const { resent, left } = figuresOf(visit, ["resent", "left"]);
  return html`${resent ? notice(t("resent", { count: resent })) : ""}
  ${left ? notice(t("left_out", { count: left })) : ""}`;
}

/** The parts of a deliveries table apart from its rows. */
export interface DeliveryTableParts {
  /** Absent: all rows are of one endpoint, which the page names. */
  readonly endpoints?: readonly WebhookEndpoint[];
  /** Each row can be selected for the form with this id. */
  readonly choosing?: { readonly form: string; readonly chosen: readonly string[] };
}

/** Returns the columns of a table of deliveries. */
function deliveryColumns(
  visit: Visit,
  t: Translate,
  { endpoints, choosing }: DeliveryTableParts,
): Columns<MessageKey, Delivery> {
  return {
    type: (delivery) =>
      html`<span class="chosen"
        >${choosing ? choice(t, delivery, choosing) : ""}
        <a
          class="cut"
          href="${visit.path(`/webhooks/deliveries/${delivery.id}`)}"
          title="${typeText(t, delivery.eventType)}"
          >${typeText(t, delivery.eventType)}</a
        ></span
      >`,
    status: (delivery) => deliveryBadge(t, delivery),
    ...(endpoints ? { endpoint: (delivery: Delivery) => endpointName(t, endpoints, delivery) } : {}),
    attempts: ({ attemptCount }) => String(attemptCount),
    last_answer: (delivery) => cut(lastAnswer(t, delivery)),
    begun: ({ createdAt }) => time(visit, createdAt),
  };
}

/** Returns the table of the latest deliveries. */
export function deliveryTable(
  visit: Visit,
  t: Translate,
  rows: readonly Delivery[],
  parts: DeliveryTableParts = {},
): Html {
  return rowTable(t, {
    caption: t("deliveries"),
    isOfLines: true,
    columns: deliveryColumns(visit, t, parts),
    numbers: ["attempts"],
    rows,
    empty: html`<p>${t("deliveries_empty")}</p>`,
  });
}

function endpointName(
  t: Translate,
  endpoints: readonly WebhookEndpoint[],
  { endpointId }: Delivery,
): Html | string {
  const url = endpoints.find(({ id }) => id === endpointId)?.url;
  if (url === undefined) return t("deleted_endpoint");
  return html`<span class="id cut" dir="ltr" title="${url}">${shortUrl(url)}</span>`;
}

/** Returns an address that is short enough for a list. */
export function shortUrl(url: string): string {
  const text = url.replace(/^https:\/\//, "");
  return text.length <= NAME_MAX ? text : `${text.slice(0, NAME_MAX - 1).toWellFormed()}…`;
}

function lastAnswer(t: Translate, { attemptCount, lastStatusCode, lastError }: Delivery): string {
  if (attemptCount === 0 && lastError === undefined) return "—";
  return answerText(t, {
    ...defined({ statusCode: lastStatusCode, error: lastError }),
  });
}

function choice(
  t: Translate,
  { id }: Delivery,
  { form, chosen }: { form: string; chosen: readonly string[] },
): Html {
  return html`<input
    type="checkbox"
    name="delivery"
    value="${id}"
    form="${form}"
    aria-label="${t("choose", { id })}"
    ${chosen.includes(id) ? html` checked` : ""}
  />`;
}
