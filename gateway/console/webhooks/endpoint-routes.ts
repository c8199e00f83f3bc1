import { beginningOf } from "../day.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { endpointList } from "./endpoint-list.ts";
import { endpointOf } from "./endpoint-lookup.ts";
import { endpointPage } from "./endpoint-views.ts";
import { messagesIn } from "./messages.ts";

const RECENT = 10;
const PROBLEM_STATUS = 422;
const PATH = "/webhooks/endpoints/:id";

/** Adds the pages of endpoints, and the changes that the buttons on an endpoint's page make. */
export function addEndpointRoutes(routes: ConsoleRoutes): void {
  endpointList.addTo(routes);
  routes.page(PATH, "webhooks.read", async (visit) => await showEndpoint(visit, NO_PROBLEMS));
  routes.change(`${PATH}/test`, "webhooks.write", {
    act: async (visit) => {
      const request = { endpointId: visit.part("id") };
      const { delivery } = await visit.core.webhooks.sendTestEvent(request, visit.as);
      return visit.goTo(visit.path(`/webhooks/deliveries/${delivery?.id ?? ""}`));
    },
    refused: async (visit, problems) => await showEndpoint(visit, problems, PROBLEM_STATUS),
  });
  routes.change(`${PATH}/disable`, "webhooks.write", {
    act: async (visit) => {
      await visit.core.webhooks.disableWebhookEndpoint({ id: visit.part("id") }, visit.as);
      return toEndpoint(visit, "done=disabled");
    },
  });
  routes.change(`${PATH}/resend-failed`, "webhooks.write", {
    act: async (visit) => {
      const since = beginningOf(visit.text("since"));
      if (!since) throw new FormProblem("since", messagesIn(visit.language)("missed_bad"));
      const asked = { endpointId: visit.part("id"), since };
      const { eventCount } = await visit.core.webhooks.resendFailedEvents(asked, visit.as);
      return toEndpoint(visit, `count=${eventCount}`);
    },
    refused: async (visit, problems) => await showEndpoint(visit, problems, PROBLEM_STATUS),
  });
}

/** Shows the endpoint's page with the problems of a form. */
async function showEndpoint(visit: Visit, problems: Problems, status = 200) {
  const endpoint = await endpointOf(visit);
  const newest = { endpointId: endpoint.id, limit: RECENT };
  const { deliveries } = await visit.core.webhooks.listDeliveries(newest, visit.as);
  return await visit.show(endpointPage(visit, endpoint, deliveries, problems), status);
}

function toEndpoint(visit: Visit, query: string) {
  return visit.goTo(visit.path(`/webhooks/endpoints/${visit.part("id")}?${query}`));
}
