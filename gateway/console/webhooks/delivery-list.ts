import { html } from "hono/html";
import {
  DeliveryStatusSchema,
  ListDeliveriesRequestSchema,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { enumOptions, Filters } from "../list/filters.ts";
import { list } from "../list/list.ts";
import { cursorOf } from "../parts/cursor.ts";
import { hiddenToken } from "../parts/form.ts";
import { notice } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { deliveryColumns, shortUrl } from "./delivery-table.ts";
import { listEndpoints } from "./endpoint-lookup.ts";
import { DELIVERED_TYPES, statusText } from "./texts.ts";
import { messagesIn, type Translate } from "./messages.ts";

const PAGE = 25;
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

/** The delivery log, newest first. */
export const deliveryList = list({
  path: "/webhooks/deliveries",
  permission: "webhooks.read",
  messages: messagesIn,
  title: "deliveries",
  trail: { path: "/webhooks", title: "title" },
  above: ({ visit, t }) => resentNotice(visit, t),
  filters,
  fetch: async (visit, { filter, cursor }) => {
    const startingAfter = cursorOf(cursor.startingAfter, "dlv");
    const request = { ...filter, ...(startingAfter === undefined ? {} : { startingAfter }), limit: PAGE };
    const { deliveries, hasMore } = await visit.core.webhooks.listDeliveries(request, visit.as);
    const next = hasMore ? deliveries.at(-1)?.id : undefined;
    return { rows: deliveries, next, endpoints: await listEndpoints(visit) };
  },
  columns: ({ visit, t, found: { endpoints } }) =>
    deliveryColumns(visit, t, {
      endpoints,
      ...(visit.can("webhooks.write")
        ? { choosing: { form: RESEND_FORM, chosen: visit.texts("delivery") } }
        : {}),
    }),
  numbers: ["attempts"],
  empty: () => ["deliveries_empty"],
  around: (table, { visit, t, values, found: { rows } }) =>
    html`${table}
    ${
      visit.can("webhooks.write") && rows.length > 0
        ? html`<form method="post" id="${RESEND_FORM}" action="${visit.path("/webhooks/deliveries/resend")}">
            ${hiddenToken(visit)}
            ${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
            <button>${t("resend_chosen")}</button>
          </form>`
        : ""
    }`,
});

function resentNotice(visit: Visit, t: Translate): Html {
  const [count, left] = [visit.query["resent"], visit.query["left"]].map((text) => Number(text) || 0);
  return html`${count ? notice(t("resent", { count })) : ""}
  ${left ? notice(t("left_out", { count: left })) : ""}`;
}
