import type { ConsoleRoutes } from "../routes.ts";
import { hashToken } from "../door.ts";

/** What people do with their own session. */
export function accountRoom(routes: ConsoleRoutes): void {
  routes.change("/tenant", "signed_in", {
    act: async (visit) => {
      const request = { tenantId: visit.text("tenant"), tokenHash: hashToken(visit.sessionToken) };
      await visit.core.users.switchTenant(request, visit.as);
      return visit.goTo(visit.path(""));
    },
  });
}
