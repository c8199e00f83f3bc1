import type { ConsoleRoutes } from "../routes.ts";
import { addEndpointForms } from "./endpoint-forms.ts";
import { figures } from "../parts/figures.ts";
import { withQuery } from "../parts/table.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { deliveryList, filters } from "./delivery-list.ts";
import { deliveryPage } from "./delivery-views.ts";
import { listEndpoints, endpointOf } from "./endpoint-lookup.ts";
import { messagesIn } from "./messages.ts";
import { beginningOf } from "../day.ts";
import { endpointList } from "./endpoint-list.ts";
import { endpointPage } from "./endpoint-views.ts";

const RECENT = 10;
const PROBLEM_STATUS = 422;
const PATH = "/webhooks/endpoints/:id";

/** Adds the pages of webhooks: endpoints and deliveries. */
export function webhooksRoom(routes: ConsoleRoutes): void {
  addEndpointRoutes(routes);
  addEndpointForms(routes);
  addDeliveryRoutes(routes);
}

/** Adds the delivery log and its resending. */
function addDeliveryRoutes(routes: ConsoleRoutes): void {
  deliveryList.addTo(routes);
  routes.page("/webhooks/deliveries/:id", "webhooks.read", showDelivery);
  routes.change("/webhooks/deliveries/resend", "webhooks.write", {
    act: async (visit) => {
      const deliveryIds = [...new Set(visit.texts("delivery"))];
      if (deliveryIds.length === 0) throw new FormProblem("", messagesIn(visit.language)("none_chosen"));
      const query = await resend(visit, deliveryIds);
      const values = filters.read((name) => visit.text(name));
      const kept = { ...values, order: visit.text("order"), cols: visit.text("cols") };
      return visit.goTo(withQuery(visit.path("/webhooks/deliveries"), { ...kept, ...query }));
    },
    refused: async (visit, problems) => {
      const values = filters.read((name) => visit.text(name));
      return await deliveryList.show(visit, { values, problems });
    },
  });
  routes.change("/webhooks/deliveries/:id/resend", "webhooks.write", {
    act: async (visit) => {
      const id = visit.part("id");
      const query = await resend(visit, [id]);
      return visit.goTo(withQuery(visit.path(`/webhooks/deliveries/${id}`), query));
    },
  });
}

async function resend(visit: Visit, deliveryIds: string[]) {
  const { deliveryCount, leftOutCount } = await visit.core.webhooks.resendDeliveries(
    { deliveryIds },
    visit.as,
  );
  return figures(visit, {
    resent: deliveryCount > 0 ? deliveryCount : undefined,
    left: leftOutCount > 0 ? leftOutCount : undefined,
  });
}

async function showDelivery(visit: Visit) {
  const { webhooks } = visit.core;
  const { delivery } = await webhooks.getDelivery({ id: visit.part("id") }, visit.as);
  if (!delivery) throw new Refused("unknown");
  const [{ event }, { attempts }, endpoints] = await Promise.all([
    webhooks.getEvent({ id: delivery.eventId }, visit.as),
    webhooks.listDeliveryAttempts({ deliveryId: delivery.id }, visit.as),
    listEndpoints(visit),
  ]);
  if (!event) throw new Error("the core answered no event");
  const endpoint = endpoints.find(({ id }) => id === delivery.endpointId);
  return await visit.show(deliveryPage(visit, delivery, event, endpoint, attempts));
}

/** Adds the pages of endpoints, and the changes that the buttons on an endpoint's page make. */
function addEndpointRoutes(routes: ConsoleRoutes): void {
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
