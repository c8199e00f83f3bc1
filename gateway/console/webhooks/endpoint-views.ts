import type { Delivery, WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, inputField, postForm, problemList } from "../parts/form.ts";
import { doneNotice } from "../parts/done.ts";
import { card, facts, notice, time } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { deliveryTable } from "./delivery-list.ts";
import { endpointBadge, isEnabled, typesText } from "./texts.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";

const DONE: Readonly<Record<string, MessageKey>> = {
  updated: "updated",
  enabled: "done_enabled",
  disabled: "done_disabled",
};

/** Returns the page of one endpoint, with its actions and latest deliveries. */
export function endpointPage(
  visit: Visit,
  endpoint: WebhookEndpoint,
  deliveries: readonly Delivery[],
  problems: Problems,
): Html {
  const t = messagesIn(visit.language);
  const { count } = visit.query;
  const path = visit.path(`/webhooks/endpoints/${endpoint.id}`);
  return consolePage(visit, {
    title: t("endpoint"),
    section: "/webhooks",
    trail: { path: "/webhooks", title: t("title") },
    actions: visit.can("webhooks.write") ? endpointActions(visit, t, endpoint, path) : "",
    content: html`${doneNotice(visit, t, DONE)}
      ${count === undefined ? "" : notice(t("missed_done", { count: Number(count) || 0 }))}
      ${problemList(visit, problems)} ${card(t("endpoint"), endpointFacts(visit, t, endpoint))}
      ${
        visit.can("webhooks.write") && isEnabled(endpoint)
          ? card(t("missed_title"), missedForm(visit, t, path, problems))
          : ""
      }
      <h2>${t("recent")}</h2>
      ${deliveryTable(visit, t, deliveries)}
      ${
        deliveries.length === 0
          ? ""
          : html`<p>
              <a href="${withQuery(visit.path("/webhooks/deliveries"), { endpoint: endpoint.id })}"
                >${t("all_deliveries")}</a
              >
            </p>`
      }`,
  });
}

function endpointActions(visit: Visit, t: Translate, endpoint: WebhookEndpoint, path: string): Html {
  return html`${
      isEnabled(endpoint)
        ? html`${buttonForm(visit, `${path}/test`, t("test"), { kind: "primary" })}
          ${buttonForm(visit, `${path}/disable`, t("disable"), { question: t("disable_question") })}`
        : html`<a class="button primary" href="${path}/enable">${t("enable")}</a>`
    }
    <a class="button" href="${path}/edit">${t("edit")}</a>
    <a class="button" href="${path}/rotate">${t("rotate")}</a>
    <a class="button danger" href="${path}/delete">${t("delete")}</a>`;
}

function endpointFacts(visit: Visit, t: Translate, endpoint: WebhookEndpoint): Html {
  const { id, url, description, eventTypes, disabledReason, previousSecretExpiresAt, createdAt } = endpoint;
  const why =
    disabledReason === undefined ? "" : t(disabledReason === "gone" ? "disabled_gone" : "disabled_manual");
  return facts([
    [t("address"), html`<span class="id" dir="ltr">${url}</span>`],
    ...(description === undefined ? [] : ([[t("description"), description]] as const)),
    [t("status"), html`${endpointBadge(t, endpoint)} ${why}`],
    [t("types"), typesText(t, eventTypes)],
    ["ID", html`<span class="id">${id}</span>`],
    [t("created"), time(visit, createdAt)],
    ...(previousSecretExpiresAt
      ? ([[t("previous_secret"), time(visit, previousSecretExpiresAt)]] as const)
      : []),
  ]);
}

function missedForm(visit: Visit, t: Translate, path: string, problems: Problems): Html {
  return html`<p>${t("missed_text")}</p>
    ${postForm(
      visit,
      `${path}/resend-failed`,
      html`${inputField({
          name: "since",
          type: "date",
          label: t("missed_since"),
          value: visit.text("since"),
          problems,
        })} <button>${t("missed")}</button>`,
    )}`;
}
