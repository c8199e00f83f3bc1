import { Mode, type ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { showOnce } from "../fields/once.ts";
import { FormProblem, NO_PROBLEMS } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { SCOPES } from "./scopes.ts";
import { listPage, madePage, newPage, revokePage, type TypedKey } from "./views.ts";
import { sayIn } from "./words.ts";

const PROBLEM_STATUS = 422;
const MODES = { live: Mode.LIVE, test: Mode.TEST };

/** API keys of the page's environment. */
export function keysRoom(routes: ConsoleRoutes): void {
  routes.page("/keys", "keys.read", async (visit) => await visit.show(listPage(visit, await keysOf(visit))));
  routes.page(
    "/keys/new",
    "keys.write",
    async (visit) => await visit.show(newPage(visit, NO_PROBLEMS, { name: "", scopes: SCOPES })),
  );
  routes.change("/keys/new", "keys.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { name, scopes } = typedIn(visit);
      // No scope at all would be every scope to the core.
      if (scopes.length === 0) throw new FormProblem("scopes", sayIn(visit.language)("scopes_none"));
      const { tenantId, mode } = visit;
      const request = { tenantId, mode: MODES[mode], name, scopes: [...scopes] };
      return await showOnce(visit, "/keys", async (once) => {
        const { key } = await visit.core.identity.createApiKey({ ...request, ...once }, visit.as);
        return await visit.show(madePage(visit, key));
      });
    },
    refused: async (visit, problems) =>
      await visit.show(newPage(visit, problems, typedIn(visit)), PROBLEM_STATUS),
  });
  routes.page(
    "/keys/:id/revoke",
    "keys.write",
    async (visit) => await visit.show(revokePage(visit, await activeKeyOf(visit))),
  );
  routes.change("/keys/:id/revoke", "keys.write", {
    act: async (visit) => {
      const { id } = await activeKeyOf(visit);
      await visit.core.identity.revokeApiKey({ id, tenantId: visit.tenantId }, visit.as);
      return visit.goTo(visit.path("/keys?done=revoked"));
    },
  });
}

/** Those of this environment, latest first. */
async function keysOf({ core, tenantId, mode, as }: Visit): Promise<ApiKey[]> {
  const { apiKeys } = await core.identity.listApiKeys({ tenantId }, as);
  return apiKeys.filter((key) => key.mode === MODES[mode]).toReversed();
}

/** Throws Refused when it is of another tenant or environment, or revoked. */
async function activeKeyOf(visit: Visit): Promise<ApiKey> {
  const id = visit.part("id");
  const key = (await keysOf(visit)).find((one) => one.id === id);
  if (!key || key.revokedAt) throw new Refused("unknown", visit);
  return key;
}

function typedIn(visit: Visit): TypedKey {
  return { name: visit.text("name").trim(), scopes: visit.texts("scopes") };
}
