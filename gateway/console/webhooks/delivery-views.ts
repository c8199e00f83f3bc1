import { timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Delivery,
  DeliveryAttempt,
  Event,
  WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { figuresOf } from "../parts/figures.ts";
import { DeliveryStatus } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm } from "../parts/form.ts";
import { badge, card, facts, notice, time } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { answerText, deliveryBadge, typeText } from "./texts.ts";
import { messagesIn, type Translate } from "./messages.ts";

const LOOK_AGAIN_MS = 60_000;

/** Returns the page of one delivery. It refreshes itself during an attempt and shortly before the next. */
export function deliveryPage(
  visit: Visit,
  delivery: Delivery,
  event: Event,
  endpoint: WebhookEndpoint | undefined,
  attempts: readonly DeliveryAttempt[],
): Html {
  const t = messagesIn(visit.language);
  const path = visit.path(`/webhooks/deliveries/${delivery.id}`);
  // The bytes that were sent: a number written anew might differ from the signed one.
  const body = new TextDecoder().decode(event.body);
  const looksAgain = isAboutToChange(delivery)
    ? html` data-hx-get="${path}" data-hx-trigger="every 3s" data-hx-select="#delivery"
      data-hx-swap="outerHTML"`
    : "";
  const { resent, left } = figuresOf(visit, ["resent", "left"]);
  return consolePage(visit, {
    title: typeText(t, delivery.eventType),
    section: "/webhooks",
    trail: { path: "/webhooks/deliveries", title: t("deliveries") },
    actions: visit.can("webhooks.write") && endpoint ? buttonForm(visit, `${path}/resend`, t("resend")) : "",
    content: html`${resent === undefined ? "" : notice(t("resent", { count: 1 }))}
      ${left === undefined ? "" : notice(t("resent_none"))}
      <div id="delivery" ${looksAgain}>
        ${card(t("delivery"), deliveryFacts(visit, t, delivery, event, endpoint))}
        ${card(t("request_body"), html`<pre tabindex="0" dir="ltr">${breakable(body)}</pre>`)}
        ${
          attempts.length === 0
            ? html`<div class="empty"><p>${t("no_attempts")}</p></div>`
            : attempts.toReversed().map((attempt) => attemptCard(visit, t, attempt))
        }
      </div>`,
  });
}

/**
 * Returns whether to refresh. A refresh keeps the session alive, so an attempt hours away, or none at all, is not worth
 * one.
 */
function isAboutToChange({ status, nextAttemptAt }: Delivery): boolean {
  if (status !== DeliveryStatus.PENDING || !nextAttemptAt) return false;
  return Math.abs(timestampMs(nextAttemptAt) - Date.now()) <= LOOK_AGAIN_MS;
}

function deliveryFacts(
  visit: Visit,
  t: Translate,
  delivery: Delivery,
  event: Event,
  endpoint: WebhookEndpoint | undefined,
): Html {
  const address = visit.path(`/webhooks/endpoints/${delivery.endpointId}`);
  return facts([
    [t("status"), deliveryBadge(t, delivery)],
    [
      t("endpoint"),
      endpoint ? html`<a class="id" dir="ltr" href="${address}">${endpoint.url}</a>` : t("deleted_endpoint"),
    ],
    [t("event"), html`<span class="id">${event.id}</span>`],
    [t("object"), objectText(visit, event.objectId)],
    ...(event.reference === undefined
      ? []
      : ([[t("reference"), html`<bdi>${event.reference}</bdi>`]] as const)),
    [t("begun"), time(visit, delivery.createdAt)],
    [t("attempts"), String(delivery.attemptCount)],
    ...(delivery.nextAttemptAt ? ([[t("next_attempt"), time(visit, delivery.nextAttemptAt)]] as const) : []),
  ]);
}

const OBJECT_PAGES: Readonly<Record<string, string>> = { pay: "/payments/", pl: "/links/" };

/** Returns the id of what an event is about, as a link if it has a page. */
function objectText(visit: Visit, id: string): Html {
  const page = OBJECT_PAGES[id.split("_", 1)[0] ?? ""];
  return page === undefined
    ? html`<span class="id">${id}</span>`
    : html`<a class="id" href="${visit.path(`${page}${id}`)}">${id}</a>`;
}

/**
 * Returns a text whose lines may end after a comma or a brace, at most once in 20 characters: a receiver may answer commas
 * alone, and the page has its last hundred answers. Its characters stay as they are.
 */
function breakable(text: string): Html {
  const parts = text.match(/.{20}[^,{[]*[,{[]?|.+/gs) ?? [];
  return html`${parts.map((part) => html`${part}<wbr />`)}`;
}

function attemptCard(visit: Visit, t: Translate, attempt: DeliveryAttempt): Html {
  const { number, startedAt, latencyMs, error, requestUrl, requestHeaders, responseBody } = attempt;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`);
  const sent = requestUrl === undefined ? undefined : [`POST ${requestUrl}`, ...headers].join("\n");
  return card(
    t("attempt", { number }),
    html`${facts([
        [t("answer"), html`${badge(error === undefined ? "good" : "bad", answerText(t, attempt))}`],
        [t("started"), time(visit, startedAt)],
        [t("duration"), `${latencyMs.toLocaleString(visit.language)} ms`],
      ])}
      ${
        sent === undefined
          ? ""
          : html`<h3>${t("request")}</h3>
              <pre tabindex="0" dir="ltr">${sent}</pre>`
      }
      <h3>${t("response_body")}</h3>
      ${responseBody === "" ? html`<p class="quiet">${t("response_empty")}</p>` : html`<pre tabindex="0">${breakable(responseBody)}</pre>`}`,
  );
}
