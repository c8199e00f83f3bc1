import type { WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { submissionField } from "../fields/submission.ts";
import { consolePage } from "../frame.ts";
import { choiceField, inputField, passwordField, postForm, problemList } from "../parts/form.ts";
import { copyable } from "../parts/show.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { EVENT_TYPES } from "./texts.ts";
import { messagesIn } from "./messages.ts";

const URL_MAX = 2048;

/** The values of an endpoint's form. */
export interface EndpointForm {
  readonly url: string;
  readonly types: readonly string[];
}

/** Returns the form of a new endpoint, or of `changed`. */
export function endpointFormPage(
  visit: Visit,
  { url, types }: EndpointForm,
  problems: Problems,
  changed?: WebhookEndpoint,
): Html {
  const t = messagesIn(visit.language);
  const own = changed && `/webhooks/endpoints/${changed.id}`;
  const action = visit.path(own === undefined ? "/webhooks/new" : `${own}/edit`);
  return consolePage(visit, {
    title: t(changed ? "edit_title" : "new_endpoint"),
    section: "/webhooks",
    trail: { path: own ?? "/webhooks", title: t(changed ? "endpoint" : "title") },
    content: html`${problemList(visit, problems)}
      <section class="card">
        ${postForm(
          visit,
          action,
          html`${changed ? "" : submissionField()}
            ${inputField({
              name: "url",
              type: "url",
              label: t("address"),
              value: url,
              help: t(visit.mode === "test" ? "address_help_test" : "address_help"),
              isRequired: true,
              maxLength: URL_MAX,
              problems,
            })}
            ${choiceField({
              kind: "checkbox",
              name: "event_types",
              label: t("types"),
              help: t("types_help"),
              options: EVENT_TYPES.map((type) => [type, t(type)]),
              chosen: types,
              problems,
            })}
            ${passwordField(visit, problems)}
            <button class="primary">${t(changed ? "save" : "create")}</button>`,
        )}
      </section>`,
  });
}

/** A change of an endpoint on its own page, because it asks for the password. */
export type ConfirmedChange = "enable" | "rotate" | "delete";

export function confirmedPage(
  visit: Visit,
  endpoint: WebhookEndpoint,
  what: ConfirmedChange,
  problems: Problems,
): Html {
  const t = messagesIn(visit.language);
  const path = `/webhooks/endpoints/${endpoint.id}`;
  return consolePage(visit, {
    title: t(`${what}_title`),
    section: "/webhooks",
    trail: { path, title: t("endpoint") },
    content: html`${problemList(visit, problems)}
      <section class="card">
        <p class="id" dir="ltr">${endpoint.url}</p>
        <p>${t(`${what}_text`, { url: endpoint.url })}</p>
        ${postForm(
          visit,
          visit.path(`${path}/${what}`),
          html`${passwordField(visit, problems)}
            <button class="${what === "delete" ? "danger" : "primary"}">${t(what)}</button>`,
        )}
      </section>`,
  });
}

/** Returns the only page that shows a secret. */
export function secretPage(visit: Visit, { id, url }: WebhookEndpoint, secret: string): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("secret_title"),
    section: "/webhooks",
    content: html`<section class="secret-once">
      <p>${t("secret_text")}</p>
      <p class="id" dir="ltr">${url}</p>
      ${copyable(visit, "secret", secret, t("secret"))}
      <p><a class="button" href="${visit.path(`/webhooks/endpoints/${id}`)}">${t("to_endpoint")}</a></p>
    </section>`,
  });
}
