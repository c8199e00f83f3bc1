import { html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { pageOfWhole } from "../list/whole.ts";
import { notice, time } from "../parts/show.ts";
import { deliveryTable, shortUrl } from "./delivery-list.ts";
import { attemptsByEndpoint, healthBadge } from "./endpoint-health.ts";
import { listEndpoints } from "./endpoint-lookup.ts";
import { endpointBadge, typesText } from "./texts.ts";
import { messagesIn } from "./messages.ts";

const RECENT = 10;
/** Most endpoints of a tenant in a mode. The core enforces it. */
const ENDPOINTS_MAX = 20;

/** The endpoints, and the latest deliveries. */
export const endpointList = list({
  path: "/webhooks",
  permission: "webhooks.read",
  messages: messagesIn,
  title: "title",
  caption: "endpoints",
  lead: "lead",
  sorts: {},
  fetch: async (visit, asked) => {
    const { deliveries } = await visit.core.webhooks.listDeliveries({ limit: RECENT }, visit.as);
    const endpoints = await listEndpoints(visit);
    return { ...pageOfWhole(endpoints, asked), deliveries, attempts: await attemptsByEndpoint(visit) };
  },
  total: ({ rowCount }) => BigInt(rowCount),
  create: {
    path: "/webhooks/new",
    permission: "webhooks.write",
    label: "new_endpoint",
    isFull: ({ rows }) => rows.length >= ENDPOINTS_MAX,
  },
  above: ({ visit, t }) => (visit.query["deleted"] === undefined ? "" : notice(t("deleted"))),
  actions: ({ visit, t }) =>
    html`<a class="button" href="${visit.path("/webhooks/deliveries")}">${t("all_deliveries")}</a>`,
  columns: ({ visit, t, found: { attempts } }) => ({
    address: ({ id, url }) =>
      html`<a class="id address" dir="ltr" href="${visit.path(`/webhooks/endpoints/${id}`)}"
        >${shortUrl(url)}</a
      >`,
    types: ({ eventTypes }) => typesText(t, eventTypes),
    status: (endpoint) => endpointBadge(t, endpoint),
    health: ({ id }) => healthBadge(visit, attempts.get(id)),
    created: ({ createdAt }) => time(visit, createdAt),
  }),
  empty: () => ["endpoints_empty"],
  around: (table, { visit, t, found: { rows: endpoints, deliveries } }) =>
    html`${endpoints.length >= ENDPOINTS_MAX ? html`<p class="quiet">${t("endpoints_full", { max: ENDPOINTS_MAX })}</p>` : ""}
      <h2>${t("endpoints")}</h2>
      ${table}
      ${
        deliveries.length === 0
          ? ""
          : html`<h2>${t("recent")}</h2>
              ${deliveryTable(visit, t, deliveries, { endpoints })}`
      }`,
});
