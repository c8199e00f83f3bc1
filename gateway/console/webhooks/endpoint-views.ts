import { html } from "hono/html";
import type { Delivery, WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, inputField, postForm, problemList } from "../parts/form.ts";
import { doneNotice } from "../parts/done.ts";
import { card, facts, notice, time } from "../parts/show.ts";
import { table, withQuery } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { deliveryTable, shortUrl } from "./delivery-table.ts";
import { endpointBadge, isEnabled, typesText } from "./texts.ts";
import { sayIn, type Say, type Word } from "./words.ts";

/** The most endpoints of a tenant in a mode; the core sees to it. */
const ENDPOINTS_MAX = 20;
const DONE: Readonly<Record<string, Word>> = {
  updated: "updated",
  enabled: "done_enabled",
  disabled: "done_disabled",
};

/** Who is told, and what went out last. */
export function endpointsPage(
  visit: Visit,
  endpoints: readonly WebhookEndpoint[],
  deliveries: readonly Delivery[],
): Html {
  const say = sayIn(visit.language);
  const isFull = endpoints.length >= ENDPOINTS_MAX;
  const mayCreate = visit.can("webhooks.write") && !isFull;
  return consolePage(visit, {
    title: say("title"),
    section: "/webhooks",
    actions: html`<a class="button" href="${visit.path("/webhooks/deliveries")}">${say("all_deliveries")}</a>
      ${mayCreate ? html`<a class="button primary" href="${visit.path("/webhooks/new")}">${say("new_endpoint")}</a>` : ""}`,
    content: html`<p>${say("lead")}</p>
      ${visit.query["deleted"] === undefined ? "" : notice(say("deleted"))}
      ${isFull ? html`<p class="quiet">${say("endpoints_full", { max: ENDPOINTS_MAX })}</p>` : ""}
      <h2>${say("endpoints")}</h2>
      ${table({
        caption: say("endpoints"),
        columns: [say("address"), say("types"), say("status"), say("created")].map((title) => ({ title })),
        rows: endpoints.map((endpoint) => [
          html`<a class="id address" dir="ltr" href="${visit.path(`/webhooks/endpoints/${endpoint.id}`)}"
            >${shortUrl(endpoint.url)}</a
          >`,
          typesText(say, endpoint.eventTypes),
          endpointBadge(say, endpoint),
          time(visit, endpoint.createdAt),
        ]),
        empty: html`<p>${say("endpoints_empty")}</p>
          ${mayCreate ? html`<p><a class="button" href="${visit.path("/webhooks/new")}">${say("new_endpoint")}</a></p>` : ""}`,
      })}
      ${
        deliveries.length === 0
          ? ""
          : html`<h2>${say("recent")}</h2>
              ${deliveryTable(visit, say, deliveries, { endpoints })}`
      }`,
  });
}

/** One endpoint, what may be done with it and what went to it last. */
export function endpointPage(
  visit: Visit,
  endpoint: WebhookEndpoint,
  deliveries: readonly Delivery[],
  problems: Problems,
): Html {
  const say = sayIn(visit.language);
  const { count } = visit.query;
  const path = visit.path(`/webhooks/endpoints/${endpoint.id}`);
  return consolePage(visit, {
    title: say("endpoint"),
    section: "/webhooks",
    trail: { path: "/webhooks", title: say("title") },
    actions: visit.can("webhooks.write") ? endpointActions(visit, say, endpoint, path) : "",
    content: html`${doneNotice(visit, say, DONE)}
      ${count === undefined ? "" : notice(say("missed_done", { count: Number(count) || 0 }))}
      ${problemList(visit, problems)} ${card(say("endpoint"), endpointFacts(visit, say, endpoint))}
      ${
        visit.can("webhooks.write") && isEnabled(endpoint)
          ? card(say("missed_title"), missedForm(visit, say, path, problems))
          : ""
      }
      <h2>${say("recent")}</h2>
      ${deliveryTable(visit, say, deliveries)}
      ${
        deliveries.length === 0
          ? ""
          : html`<p>
              <a href="${withQuery(visit.path("/webhooks/deliveries"), { endpoint: endpoint.id })}"
                >${say("all_deliveries")}</a
              >
            </p>`
      }`,
  });
}

function endpointActions(visit: Visit, say: Say, endpoint: WebhookEndpoint, path: string): Html {
  return html`${
      isEnabled(endpoint)
        ? html`${buttonForm(visit, `${path}/test`, say("test"), { kind: "primary" })}
          ${buttonForm(visit, `${path}/disable`, say("disable"), { question: say("disable_question") })}`
        : html`<a class="button primary" href="${path}/enable">${say("enable")}</a>`
    }
    <a class="button" href="${path}/edit">${say("edit")}</a>
    <a class="button" href="${path}/rotate">${say("rotate")}</a>
    <a class="button danger" href="${path}/delete">${say("delete")}</a>`;
}

function endpointFacts(visit: Visit, say: Say, endpoint: WebhookEndpoint): Html {
  const { id, url, eventTypes, disabledReason, previousSecretExpiresAt, createdAt } = endpoint;
  const why =
    disabledReason === undefined ? "" : say(disabledReason === "gone" ? "disabled_gone" : "disabled_manual");
  return facts([
    [say("address"), html`<span class="id" dir="ltr">${url}</span>`],
    [say("status"), html`${endpointBadge(say, endpoint)} ${why}`],
    [say("types"), typesText(say, eventTypes)],
    ["id", html`<span class="id">${id}</span>`],
    [say("created"), time(visit, createdAt)],
    ...(previousSecretExpiresAt
      ? ([[say("previous_secret"), time(visit, previousSecretExpiresAt)]] as const)
      : []),
  ]);
}

function missedForm(visit: Visit, say: Say, path: string, problems: Problems): Html {
  return html`<p>${say("missed_text")}</p>
    ${postForm(
      visit,
      `${path}/resend-failed`,
      html`${inputField({
          name: "since",
          type: "date",
          label: say("missed_since"),
          value: visit.text("since"),
          problems,
        })} <button>${say("missed")}</button>`,
    )}`;
}
