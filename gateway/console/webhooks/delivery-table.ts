import { html } from "hono/html";
import type { Delivery, WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { answerText, deliveryBadge, typeText } from "./texts.ts";
import type { Say } from "./words.ts";

/** Deliveries, newest first. With a form's id each of them may be chosen for that form. */
export function deliveryTable(
  visit: Visit,
  say: Say,
  deliveries: readonly Delivery[],
  endpoints: readonly WebhookEndpoint[],
  choosing?: { readonly form: string; readonly chosen: readonly string[] },
): Html {
  const columns = [
    { title: say("type") },
    { title: say("status") },
    { title: say("endpoint") },
    { title: say("attempts"), isNumber: true },
    { title: say("last_answer") },
    { title: say("begun") },
    ...(choosing ? [{ title: say("choose_column") }] : []),
  ];
  const rows = deliveries.map((delivery) => [
    html`<a href="${visit.path(`/webhooks/deliveries/${delivery.id}`)}"
      >${typeText(say, delivery.eventType)}</a
    >`,
    deliveryBadge(say, delivery),
    endpointName(say, endpoints, delivery),
    String(delivery.attemptCount),
    lastAnswer(say, delivery),
    time(visit, delivery.createdAt),
    ...(choosing ? [choice(say, delivery, choosing)] : []),
  ]);
  const empty = html`<p>${say("deliveries_empty")}</p>`;
  return table({ caption: say("deliveries"), columns, rows, empty });
}

function endpointName(
  say: Say,
  endpoints: readonly WebhookEndpoint[],
  { endpointId }: Delivery,
): Html | string {
  const url = endpoints.find(({ id }) => id === endpointId)?.url;
  return url === undefined ? say("deleted_endpoint") : html`<span class="id" dir="ltr">${url}</span>`;
}

function lastAnswer(say: Say, { attemptCount, lastStatusCode, lastError }: Delivery): string {
  if (attemptCount === 0 && lastError === undefined) return "—";
  return answerText(say, {
    ...(lastStatusCode === undefined ? {} : { statusCode: lastStatusCode }),
    ...(lastError === undefined ? {} : { error: lastError }),
  });
}

function choice(
  say: Say,
  { id }: Delivery,
  { form, chosen }: { form: string; chosen: readonly string[] },
): Html {
  return html`<input
    type="checkbox"
    name="delivery"
    value="${id}"
    form="${form}"
    aria-label="${say("choose", { id })}"
    ${chosen.includes(id) ? html` checked` : ""}
  />`;
}
