import type { ConsoleRoutes } from "../routes.ts";
import { addDeliveryRoutes } from "./delivery-routes.ts";
import { addEndpointForms } from "./endpoint-forms.ts";
import { addEndpointRoutes } from "./endpoint-routes.ts";

/** Adds the pages of webhooks: endpoints and deliveries. */
export function webhooksRoom(routes: ConsoleRoutes): void {
  addEndpointRoutes(routes);
  addEndpointForms(routes);
  addDeliveryRoutes(routes);
}
