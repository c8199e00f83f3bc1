import { figures } from "../parts/figures.ts";
import { withQuery } from "../parts/table.ts";
import { FormProblem } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { deliveryList, filters } from "./delivery-list.ts";
import { deliveryPage } from "./delivery-views.ts";
import { listEndpoints } from "./endpoint-lookup.ts";
import { messagesIn } from "./messages.ts";

/** Adds the delivery log and its resending. */
export function addDeliveryRoutes(routes: ConsoleRoutes): void {
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
