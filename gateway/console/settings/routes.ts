import type { LegalEntity } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { NO_PROBLEMS } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { renamePage, replacePage } from "./entity-pages.ts";
import { changesOf, typedIn, typedOf } from "./typed.ts";
import { settingsPage, type Settings } from "./views.ts";

const PROBLEM_STATUS = 422;

/** Adds the pages of the company's settings, which are the same in both environments. */
export function settingsRoom(routes: ConsoleRoutes): void {
  routes.page("/settings", "settings.read", async (visit) => {
    const settings = await settingsOf(visit);
    return await visit.show(settingsPage(visit, settings, NO_PROBLEMS, typedOf(settings.tenant)));
  });
  routes.change("/settings/company", "settings.write", {
    act: async (visit) => {
      const { tenant } = await settingsOf(visit);
      await visit.core.identity.updateTenant(changesOf(visit, tenant, typedIn(visit)), visit.as);
      return visit.goTo(visit.path("/settings?done=saved"));
    },
    refused: async (visit, problems) =>
      await visit.show(
        settingsPage(visit, await settingsOf(visit), problems, typedIn(visit)),
        PROBLEM_STATUS,
      ),
  });
  routes.page("/settings/entities/:id", "settings.write", async (visit) => {
    const entity = await entityOf(visit);
    return await visit.show(renamePage(visit, entity, NO_PROBLEMS, entity.name));
  });
  routes.change("/settings/entities/:id", "settings.write", {
    act: async (visit) => {
      const request = { tenantId: visit.tenantId, id: visit.part("id"), name: visit.text("name").trim() };
      await visit.core.identity.renameLegalEntity(request, visit.as);
      return visit.goTo(visit.path("/settings?done=renamed"));
    },
    refused: async (visit, problems) =>
      await visit.show(
        renamePage(visit, await entityOf(visit), problems, visit.text("name")),
        PROBLEM_STATUS,
      ),
  });
  routes.page(
    "/settings/entities/:id/replace",
    "settings.write",
    async (visit) => await visit.show(replacePage(visit, await entityOf(visit), NO_PROBLEMS)),
  );
  routes.change("/settings/entities/:id/replace", "settings.write", {
    isConfirmed: true,
    act: async (visit) => {
      const [id, name, payoutCurrency] = [
        visit.part("id"),
        visit.text("name").trim(),
        visit.text("payout_currency"),
      ];
      const request = { tenantId: visit.tenantId, id, name, payoutCurrency };
      await visit.core.identity.replaceLegalEntity(request, visit.as);
      return visit.goTo(visit.path("/settings?done=replaced"));
    },
    refused: async (visit, problems) =>
      await visit.show(replacePage(visit, await entityOf(visit), problems), PROBLEM_STATUS),
  });
}

async function settingsOf(visit: Visit): Promise<Settings> {
  const { tenant, legalEntities } = await visit.core.identity.getTenant(
    { tenantId: visit.tenantId },
    visit.as,
  );
  if (!tenant) throw new Refused("unknown", visit);
  return { tenant, legalEntities };
}

/** Returns the legal entity in the path. Throws Refused when the company has no such entity. */
async function entityOf(visit: Visit): Promise<LegalEntity> {
  const { legalEntities } = await settingsOf(visit);
  const entity = legalEntities.find(({ id }) => id === visit.part("id"));
  if (!entity) throw new Refused("unknown", visit);
  return entity;
}
