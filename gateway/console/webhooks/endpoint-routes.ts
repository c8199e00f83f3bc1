import { showOnce } from "../fields/submission.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { confirmedPage, endpointFormPage, secretPage, type EndpointForm } from "./endpoint-forms.ts";
import { endpointList } from "./endpoint-list.ts";
import { endpointOf } from "./endpoint-lookup.ts";
import { endpointPage } from "./endpoint-views.ts";
import { messagesIn } from "./messages.ts";

const RECENT = 10;
const PROBLEM_STATUS = 422;
const EMPTY: EndpointForm = { url: "", types: [] };

/** Adds the pages of endpoints, and the forms that create and change one. */
export function addEndpointRoutes(routes: ConsoleRoutes): void {
  endpointList.addTo(routes);
  routes.page(
    "/webhooks/endpoints/:id",
    "webhooks.read",
    async (visit) => await showEndpoint(visit, NO_PROBLEMS),
  );
  routes.page("/webhooks/new", "webhooks.write", async (visit) =>
    visit.show(endpointFormPage(visit, EMPTY, NO_PROBLEMS)),
  );
  routes.change("/webhooks/new", "webhooks.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { url, types: values } = formOf(visit);
      const request = { url, eventTypes: { values: [...values] } };
      return await showOnce(visit, "/webhooks", async (submission) => {
        const made = await visit.core.webhooks.createWebhookEndpoint({ ...request, ...submission }, visit.as);
        if (!made.endpoint) throw new Error("the core answered no endpoint");
        return await visit.show(secretPage(visit, made.endpoint, made.secret));
      });
    },
    refused: async (visit, problems) =>
      await visit.show(endpointFormPage(visit, formOf(visit), explained(visit, problems)), PROBLEM_STATUS),
  });
  routes.page("/webhooks/endpoints/:id/edit", "webhooks.write", async (visit) => {
    const endpoint = await endpointOf(visit);
    const form = { url: endpoint.url, types: endpoint.eventTypes };
    return await visit.show(endpointFormPage(visit, form, NO_PROBLEMS, endpoint));
  });
  routes.change("/webhooks/endpoints/:id/edit", "webhooks.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { url, types: values } = formOf(visit);
      const id = visit.part("id");
      await visit.core.webhooks.updateWebhookEndpoint(
        { id, url, eventTypes: { values: [...values] } },
        visit.as,
      );
      return visit.goTo(visit.path(`/webhooks/endpoints/${id}?done=updated`));
    },
    refused: async (visit, problems) => {
      const page = endpointFormPage(
        visit,
        formOf(visit),
        explained(visit, problems),
        await endpointOf(visit),
      );
      return await visit.show(page, PROBLEM_STATUS);
    },
  });
  for (const what of ["enable", "rotate", "delete"] as const) {
    routes.page(`/webhooks/endpoints/:id/${what}`, "webhooks.write", async (visit) =>
      visit.show(confirmedPage(visit, await endpointOf(visit), what, NO_PROBLEMS)),
    );
  }
}

/** Shows the endpoint's page with the problems of a form. */
export async function showEndpoint(visit: Visit, problems: Problems, status = 200) {
  const endpoint = await endpointOf(visit);
  const newest = { endpointId: endpoint.id, limit: RECENT };
  const { deliveries } = await visit.core.webhooks.listDeliveries(newest, visit.as);
  return await visit.show(endpointPage(visit, endpoint, deliveries, problems), status);
}

function formOf(visit: Visit): EndpointForm {
  return { url: visit.text("url").trim(), types: visit.texts("event_types") };
}

/** Returns the problems with a text for an address that was refused, unless it is missing. */
function explained(visit: Visit, problems: Problems): Problems {
  const t = messagesIn(visit.language);
  const isGiven = formOf(visit).url !== "";
  return new Map(
    [...problems].map(([field, text]) => [field, field === "url" && isGiven ? t("address_refused") : text]),
  );
}
