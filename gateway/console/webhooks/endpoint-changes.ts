import { beginningOf } from "../day.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { confirmedPage, secretPage } from "./endpoint-forms.ts";
import { endpointOf } from "./endpoint-lookup.ts";
import { showEndpoint } from "./endpoint-routes.ts";
import { messagesIn } from "./messages.ts";

const PROBLEM_STATUS = 422;
const BASE = "/webhooks/endpoints/:id";

/** Adds the changes of an endpoint that its buttons make. */
export function addEndpointChanges(routes: ConsoleRoutes): void {
  routes.change(`${BASE}/test`, "webhooks.write", {
    act: async (visit) => {
      const { delivery } = await visit.core.webhooks.sendTestEvent(
        { endpointId: visit.part("id") },
        visit.as,
      );
      return visit.goTo(visit.path(`/webhooks/deliveries/${delivery?.id ?? ""}`));
    },
    refused: async (visit, problems) => await showEndpoint(visit, problems, PROBLEM_STATUS),
  });
  routes.change(`${BASE}/enable`, "webhooks.write", {
    isConfirmed: true,
    act: async (visit) => {
      await visit.core.webhooks.enableWebhookEndpoint({ id: visit.part("id") }, visit.as);
      return toEndpoint(visit, "done=enabled");
    },
    refused: async (visit, problems) =>
      await visit.show(confirmedPage(visit, await endpointOf(visit), "enable", problems), PROBLEM_STATUS),
  });
  routes.change(`${BASE}/disable`, "webhooks.write", {
    act: async (visit) => {
      await visit.core.webhooks.disableWebhookEndpoint({ id: visit.part("id") }, visit.as);
      return toEndpoint(visit, "done=disabled");
    },
  });
  routes.change(`${BASE}/resend-failed`, "webhooks.write", {
    act: async (visit) => {
      const since = beginningOf(visit.text("since"));
      if (!since) throw new FormProblem("since", messagesIn(visit.language)("missed_bad"));
      const asked = { endpointId: visit.part("id"), since };
      const { eventCount } = await visit.core.webhooks.resendFailedEvents(asked, visit.as);
      return toEndpoint(visit, `count=${eventCount}`);
    },
    refused: async (visit, problems) => await showEndpoint(visit, problems, PROBLEM_STATUS),
  });
  routes.change(`${BASE}/rotate`, "webhooks.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { endpoint, secret } = await visit.core.webhooks.rotateWebhookSecret(
        { id: visit.part("id") },
        visit.as,
      );
      if (!endpoint) throw new Error("the core answered no endpoint");
      return await visit.show(secretPage(visit, endpoint, secret));
    },
    refused: async (visit, problems) => {
      const page = confirmedPage(visit, await endpointOf(visit), "rotate", tooOften(visit, problems));
      return await visit.show(page, PROBLEM_STATUS);
    },
  });
  routes.change(`${BASE}/delete`, "webhooks.write", {
    isConfirmed: true,
    act: async (visit) => {
      await visit.core.webhooks.deleteWebhookEndpoint({ id: visit.part("id") }, visit.as);
      return visit.goTo(visit.path("/webhooks?deleted=1"));
    },
    refused: async (visit, problems) =>
      await visit.show(confirmedPage(visit, await endpointOf(visit), "delete", problems), PROBLEM_STATUS),
  });
}

function toEndpoint(visit: Visit, query: string) {
  return visit.goTo(visit.path(`/webhooks/endpoints/${visit.part("id")}?${query}`));
}

/** Returns the text for a refused rotation: the core refuses it only when the last one was too recent. */
function tooOften(visit: Visit, problems: Problems): Problems {
  return new Map(
    [...problems].map(([field, text]) =>
      field === "id" ? ["", messagesIn(visit.language)("rotate_too_often")] : [field, text],
    ),
  );
}
