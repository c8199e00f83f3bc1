import { EVENT_KINDS, EVENT_TYPES } from "../../../contract/event-types.ts";
import {
  CreateWebhookEndpointRequestSchema,
  UpdateWebhookEndpointRequestSchema,
  type WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Field } from "../form/field.ts";
import { form } from "../form/form.ts";
import type { ShownOnce } from "../form/once.ts";
import type { Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { endpointOf } from "./endpoint-lookup.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";

const ROOM = {
  permission: "webhooks.write",
  section: "/webhooks",
  messages: messagesIn,
  asksPassword: true,
} as const;
/** The parts of a form about the endpoint in its path. */
const OWN = {
  ...ROOM,
  load: endpointOf,
  from: (t: Translate, { id }: WebhookEndpoint) => ({ path: pathOf(id), title: t("endpoint") }),
};
const CONFIRMATION = {
  ...OWN,
  values: ({ url }: WebhookEndpoint) => ({ url }),
  about: (_: Visit, { url }: WebhookEndpoint) => address(url),
};
const PATH = pathOf(":id");

const FIELDS: Readonly<Record<"url" | "event_types" | "description", Field<MessageKey>>> = {
  url: {
    kind: "url",
    label: "address",
    help: ({ mode }) => (mode === "test" ? "address_help_test" : "address_help"),
    refused: "address_refused",
  },
  description: { kind: "text", label: "description", help: "description_help" },
  event_types: {
    kind: "checkbox",
    label: "types",
    help: "types_help",
    options: (t) => [...EVENT_KINDS, ...EVENT_TYPES].map((type) => [type, t(type)]),
  },
};

/** Adds the forms and confirmations of endpoints. All ask for the password. */
export function addEndpointForms(routes: ConsoleRoutes): void {
  form(routes, {
    ...ROOM,
    path: "/webhooks/new",
    title: "new_endpoint",
    button: "create",
    request: CreateWebhookEndpointRequestSchema,
    fields: FIELDS,
    onlyOnce: true,
    act: async ({ core, as }, sent) => {
      const [url, values] = [sent.text("url"), sent.texts("event_types")];
      const description = sent.text("description");
      const request = { url, eventTypes: { values }, description, ...sent.submission };
      return secretOf(sent.t, await core.webhooks.createWebhookEndpoint(request, as));
    },
  });
  form(routes, {
    ...OWN,
    path: `${PATH}/edit`,
    title: "edit_title",
    button: "save",
    request: UpdateWebhookEndpointRequestSchema,
    fields: FIELDS,
    initial: ({ url, eventTypes, description = "" }) => ({ url, event_types: eventTypes, description }),
    act: async ({ core, as }, sent) => {
      const { id } = sent.loaded;
      const [url, values] = [sent.text("url"), sent.texts("event_types")];
      const request = { id, url, eventTypes: { values }, description: sent.text("description") };
      await core.webhooks.updateWebhookEndpoint(request, as);
      return `${pathOf(id)}?done=updated`;
    },
  });
  form(routes, {
    ...CONFIRMATION,
    path: `${PATH}/enable`,
    title: "enable_title",
    text: "enable_text",
    button: "enable",
    act: async ({ core, as }, { loaded: { id } }) => {
      await core.webhooks.enableWebhookEndpoint({ id }, as);
      return `${pathOf(id)}?done=enabled`;
    },
  });
  form(routes, {
    ...CONFIRMATION,
    path: `${PATH}/rotate`,
    title: "rotate_title",
    text: "rotate_text",
    button: "rotate",
    act: async ({ core, as }, { t, loaded: { id } }) =>
      secretOf(t, await core.webhooks.rotateWebhookSecret({ id }, as)),
    explain: tooOften,
  });
  form(routes, {
    ...CONFIRMATION,
    path: `${PATH}/delete`,
    title: "delete_title",
    text: "delete_text",
    button: "delete",
    isDangerous: true,
    act: async ({ core, as }, { loaded: { id } }) => {
      await core.webhooks.deleteWebhookEndpoint({ id }, as);
      return "/webhooks?deleted=1";
    },
  });
}

function secretOf(
  t: Translate,
  { endpoint, secret }: { readonly endpoint?: WebhookEndpoint | undefined; readonly secret: string },
): ShownOnce {
  if (!endpoint) throw new Error("the core answered no endpoint");
  return {
    title: t("secret_title"),
    text: t("secret_text"),
    about: address(endpoint.url),
    id: "secret",
    value: secret,
    label: t("secret"),
    done: t("to_endpoint"),
    path: pathOf(endpoint.id),
  };
}

/** Returns the text for a refused rotation: the core refuses it only when the last one was too recent. */
function tooOften(t: Translate, problems: Problems): Problems {
  return new Map(
    [...problems].map(([field, text]) => (field === "id" ? ["", t("rotate_too_often")] : [field, text])),
  );
}

function address(url: string): Html {
  return html`<p class="id" dir="ltr">${url}</p>`;
}

function pathOf(id: string): string {
  return `/webhooks/endpoints/${id}`;
}
