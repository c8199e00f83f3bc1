import type { Delivery, WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { answerText, deliveryBadge, typeText } from "./texts.ts";
import type { Translate } from "./messages.ts";

const NAME_MAX = 48;

/** The parts of a deliveries table apart from its rows. */
export interface DeliveryTableParts {
  /** Absent: all rows are of one endpoint, which the page names. */
  readonly endpoints?: readonly WebhookEndpoint[];
  /** Each row can be selected for the form with this id. */
  readonly choosing?: { readonly form: string; readonly chosen: readonly string[] };
}

/** Returns the table of deliveries, newest first. */
export function deliveryTable(
  visit: Visit,
  t: Translate,
  deliveries: readonly Delivery[],
  { endpoints, choosing }: DeliveryTableParts = {},
): Html {
  const columns = [
    { title: t("type") },
    { title: t("status") },
    ...(endpoints ? [{ title: t("endpoint") }] : []),
    { title: t("attempts"), isNumber: true },
    { title: t("last_answer") },
    { title: t("begun") },
  ];
  const rows = deliveries.map((delivery) => [
    html`<span class="chosen"
      >${choosing ? choice(t, delivery, choosing) : ""}
      <a href="${visit.path(`/webhooks/deliveries/${delivery.id}`)}"
        >${typeText(t, delivery.eventType)}</a
      ></span
    >`,
    deliveryBadge(t, delivery),
    ...(endpoints ? [endpointName(t, endpoints, delivery)] : []),
    String(delivery.attemptCount),
    lastAnswer(t, delivery),
    time(visit, delivery.createdAt),
  ]);
  const empty = html`<p>${t("deliveries_empty")}</p>`;
  return table({ caption: t("deliveries"), columns, rows, empty });
}

function endpointName(
  t: Translate,
  endpoints: readonly WebhookEndpoint[],
  { endpointId }: Delivery,
): Html | string {
  const url = endpoints.find(({ id }) => id === endpointId)?.url;
  if (url === undefined) return t("deleted_endpoint");
  return html`<span class="id address" dir="ltr">${shortUrl(url)}</span>`;
}

/** Returns an address that is short enough for a list. */
export function shortUrl(url: string): string {
  const text = url.replace(/^https:\/\//, "");
  return text.length <= NAME_MAX ? text : `${text.slice(0, NAME_MAX - 1).toWellFormed()}…`;
}

function lastAnswer(t: Translate, { attemptCount, lastStatusCode, lastError }: Delivery): string {
  if (attemptCount === 0 && lastError === undefined) return "—";
  return answerText(t, {
    ...(lastStatusCode === undefined ? {} : { statusCode: lastStatusCode }),
    ...(lastError === undefined ? {} : { error: lastError }),
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
