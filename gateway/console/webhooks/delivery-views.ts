import { timestampMs } from "@bufbuild/protobuf/wkt";
import { html } from "hono/html";
import type {
  Delivery,
  DeliveryAttempt,
  Event,
  ListDeliveriesResponse,
  WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DeliveryStatus } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, hiddenToken, inputField, problemList, selectField, type Option } from "../parts/form.ts";
import { badge, card, facts, notice, time } from "../parts/show.ts";
import { pager, withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { deliveryTable, shortUrl } from "./delivery-table.ts";
import { answerText, DELIVERED_TYPES, deliveryBadge, STATUS_WORDS, typeText } from "./texts.ts";
import { sayIn, type Say } from "./words.ts";

const LOOK_AGAIN_MS = 60_000;

/** What a list of deliveries is narrowed by, as it stands in its address. */
export interface DeliveryFilter {
  readonly endpoint: string;
  readonly status: string;
  readonly type: string;
  readonly since: string;
}

export const FILTER_NAMES = ["endpoint", "status", "type", "since"] as const;

const RESEND_FORM = "resend";

/** The log of deliveries. */
export function deliveriesPage(
  visit: Visit,
  { deliveries, hasMore }: ListDeliveriesResponse,
  endpoints: readonly WebhookEndpoint[],
  filter: DeliveryFilter,
  problems: Problems,
): Html {
  const say = sayIn(visit.language);
  const path = visit.path("/webhooks/deliveries");
  const mayResend = visit.can("webhooks.write") && deliveries.length > 0;
  const choosing = mayResend ? { form: RESEND_FORM, chosen: visit.texts("delivery") } : undefined;
  return consolePage(visit, {
    title: say("deliveries"),
    section: "/webhooks",
    trail: { path: "/webhooks", title: say("title") },
    content: html`${resentNotice(visit, say)} ${problemList(visit, problems)}
    ${filterForm(say, path, endpoints, filter)}
    ${deliveryTable(visit, say, deliveries, { endpoints, ...(choosing ? { choosing } : {}) })}
    ${
      mayResend
        ? html`<form method="post" id="${RESEND_FORM}" action="${path}/resend">
            ${hiddenToken(visit)}
            ${FILTER_NAMES.map((name) => html`<input type="hidden" name="${name}" value="${filter[name]}" />`)}
            <button>${say("resend_chosen")}</button>
          </form>`
        : ""
    }
    ${pager(visit, {
      next: hasMore ? withQuery(path, { ...filter, after: deliveries.at(-1)?.id }) : undefined,
      first: visit.query["after"] === undefined ? undefined : withQuery(path, { ...filter }),
    })}`,
  });
}

function resentNotice(visit: Visit, say: Say): Html | "" {
  const [count, left] = [visit.query["resent"], visit.query["left"]].map((text) => Number(text) || 0);
  return html`${count ? notice(say("resent", { count })) : ""}
  ${left ? notice(say("left_out", { count: left })) : ""}`;
}

function filterForm(
  say: Say,
  path: string,
  endpoints: readonly WebhookEndpoint[],
  filter: DeliveryFilter,
): Html {
  const any: Option = ["", say("any")];
  const problems = NO_PROBLEMS;
  return html`<form class="filters" method="get" action="${path}">
    ${selectField({
      name: "endpoint",
      label: say("endpoint"),
      options: [any, ...endpoints.map(({ id, url }): Option => [id, shortUrl(url)])],
      value: filter.endpoint,
      problems,
    })}
    ${selectField({
      name: "status",
      label: say("status"),
      options: [any, ...STATUS_WORDS.map((word): Option => [word, say(word)])],
      value: filter.status,
      problems,
    })}
    ${selectField({
      name: "type",
      label: say("type"),
      options: [any, ...DELIVERED_TYPES.map((type): Option => [type, say(type)])],
      value: filter.type,
      problems,
    })}
    ${inputField({ name: "since", type: "date", label: say("since"), value: filter.since, problems })}
    <button>${say("filter")}</button>
  </form>`;
}

/** All that is known of one delivery. It looks again by itself while an attempt is under way or soon to come. */
export function deliveryPage(
  visit: Visit,
  delivery: Delivery,
  event: Event,
  endpoint: WebhookEndpoint | undefined,
  attempts: readonly DeliveryAttempt[],
): Html {
  const say = sayIn(visit.language);
  const path = visit.path(`/webhooks/deliveries/${delivery.id}`);
  // As it was sent, to the byte: a number written anew might not be the one that was signed.
  const body = new TextDecoder().decode(event.body);
  const looksAgain = isAboutToChange(delivery)
    ? html` data-hx-get="${path}" data-hx-trigger="every 3s" data-hx-select="#delivery"
      data-hx-swap="outerHTML"`
    : "";
  const { resent, left } = visit.query;
  return consolePage(visit, {
    title: typeText(say, delivery.eventType),
    section: "/webhooks",
    trail: { path: "/webhooks/deliveries", title: say("deliveries") },
    actions:
      visit.can("webhooks.write") && endpoint ? buttonForm(visit, `${path}/resend`, say("resend")) : "",
    content: html`${resent === undefined ? "" : notice(say("resent", { count: 1 }))}
      ${left === undefined ? "" : notice(say("resent_none"))}
      <div id="delivery" ${looksAgain}>
        ${card(say("delivery"), deliveryFacts(visit, say, delivery, event, endpoint))}
        ${card(say("request_body"), html`<pre tabindex="0" dir="ltr">${body}</pre>`)}
        ${
          attempts.length === 0
            ? html`<div class="empty"><p>${say("no_attempts")}</p></div>`
            : attempts.toReversed().map((attempt) => attemptCard(visit, say, attempt))
        }
      </div>`,
  });
}

/** Looking again keeps a session alive: not while the next attempt is hours away, nor when it never comes. */
function isAboutToChange({ status, nextAttemptAt }: Delivery): boolean {
  if (status !== DeliveryStatus.PENDING || !nextAttemptAt) return false;
  return Math.abs(timestampMs(nextAttemptAt) - Date.now()) <= LOOK_AGAIN_MS;
}

function deliveryFacts(
  visit: Visit,
  say: Say,
  delivery: Delivery,
  event: Event,
  endpoint: WebhookEndpoint | undefined,
): Html {
  const address = visit.path(`/webhooks/endpoints/${delivery.endpointId}`);
  return facts([
    [say("status"), deliveryBadge(say, delivery)],
    [
      say("endpoint"),
      endpoint
        ? html`<a class="id" dir="ltr" href="${address}">${endpoint.url}</a>`
        : say("deleted_endpoint"),
    ],
    [say("event"), html`<span class="id">${event.id}</span>`],
    [say("object"), html`<span class="id">${event.objectId}</span>`],
    ...(event.reference === undefined
      ? []
      : ([[say("reference"), html`<bdi>${event.reference}</bdi>`]] as const)),
    [say("begun"), time(visit, delivery.createdAt)],
    [say("attempts"), String(delivery.attemptCount)],
    ...(delivery.nextAttemptAt
      ? ([[say("next_attempt"), time(visit, delivery.nextAttemptAt)]] as const)
      : []),
  ]);
}

function attemptCard(visit: Visit, say: Say, attempt: DeliveryAttempt): Html {
  const { number, startedAt, latencyMs, error, requestUrl, requestHeaders, responseBody } = attempt;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`);
  const sent = requestUrl === undefined ? undefined : [`POST ${requestUrl}`, ...headers].join("\n");
  return card(
    say("attempt", { number }),
    html`${facts([
        [say("answer"), html`${badge(error === undefined ? "good" : "bad", answerText(say, attempt))}`],
        [say("started"), time(visit, startedAt)],
        [say("duration"), `${latencyMs.toLocaleString(visit.language)} ms`],
      ])}
      ${
        sent === undefined
          ? ""
          : html`<h3>${say("request")}</h3>
              <pre tabindex="0" dir="ltr">${sent}</pre>`
      }
      <h3>${say("response_body")}</h3>
      ${responseBody === "" ? html`<p class="quiet">${say("response_empty")}</p>` : html`<pre tabindex="0">${responseBody}</pre>`}`,
  );
}
