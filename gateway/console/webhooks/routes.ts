import type { ConsoleRoutes } from "../routes.ts";
import { addDeliveryRoutes } from "./delivery-routes.ts";
import { addEndpointChanges } from "./endpoint-changes.ts";
import { addEndpointRoutes } from "./endpoint-routes.ts";

/** Who is told of what happens, and how the telling went. */
export function webhooksRoom(routes: ConsoleRoutes): void {
  addEndpointRoutes(routes);
  addEndpointChanges(routes);
  addDeliveryRoutes(routes);
}
