import { beginningOf } from "../day.ts";
import { withQuery } from "../parts/table.ts";
import { cursorOf } from "../parts/cursor.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { deliveriesPage, deliveryPage, FILTER_NAMES, type DeliveryFilter } from "./delivery-views.ts";
import { listEndpoints } from "./endpoint-lookup.ts";
import { DELIVERED_TYPES, statusOf } from "./texts.ts";
import { messagesIn } from "./messages.ts";

const PAGE = 25;
const VALUE_MAX = 64;
const PROBLEM_STATUS = 422;

/** Adds the delivery log and its resending. */
export function addDeliveryRoutes(routes: ConsoleRoutes): void {
  routes.page("/webhooks/deliveries", "webhooks.read", async (visit) => {
    const filter = filterOf((name) => visit.query[name]);
    return await showDeliveries(visit, filter, NO_PROBLEMS, 200, cursorOf(visit.query["after"], "dlv"));
  });
  routes.page("/webhooks/deliveries/:id", "webhooks.read", showDelivery);
  routes.change("/webhooks/deliveries/resend", "webhooks.write", {
    act: async (visit) => {
      const deliveryIds = [...new Set(visit.texts("delivery"))];
      if (deliveryIds.length === 0) throw new FormProblem("", messagesIn(visit.language)("none_chosen"));
      const query = await resend(visit, deliveryIds);
      const filter = filterOf((name) => visit.text(name));
      return visit.goTo(withQuery(visit.path("/webhooks/deliveries"), { ...filter, ...query }));
    },
    refused: async (visit, problems) =>
      await showDeliveries(
        visit,
        filterOf((name) => visit.text(name)),
        problems,
        PROBLEM_STATUS,
      ),
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
  return {
    resent: deliveryCount > 0 ? String(deliveryCount) : undefined,
    left: leftOutCount > 0 ? String(leftOutCount) : undefined,
  };
}

async function showDeliveries(
  visit: Visit,
  filter: DeliveryFilter,
  problems: Problems,
  status: number,
  after?: string,
) {
  const since = beginningOf(filter.since);
  const asked = statusOf(filter.status);
  const page = await visit.core.webhooks.listDeliveries(
    {
      limit: PAGE,
      ...(filter.endpoint === "" ? {} : { endpointId: filter.endpoint }),
      ...(filter.type === "" ? {} : { eventType: filter.type }),
      ...(asked === undefined ? {} : { status: asked }),
      ...(since === undefined ? {} : { since }),
      ...(after === undefined ? {} : { startingAfter: after }),
    },
    visit.as,
  );
  const endpoints = await listEndpoints(visit);
  return await visit.show(deliveriesPage(visit, page, endpoints, filter, problems), status);
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

/** Returns the filters. A value that no filter can have is ignored. */
function filterOf(valueOf: (name: keyof DeliveryFilter) => unknown): DeliveryFilter {
  const [endpoint = "", status = "", type = "", since = ""] = FILTER_NAMES.map((name) => {
    const value = valueOf(name);
    return typeof value === "string" && value.length <= VALUE_MAX ? value : "";
  });
  return { endpoint, status, type: DELIVERED_TYPES.some((known) => known === type) ? type : "", since };
}
