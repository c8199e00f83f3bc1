import type { FastifyReply } from "fastify";
import { hashToken } from "../guard.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { accountPage } from "./views.ts";
import { messagesIn } from "./messages.ts";

const PROBLEM_STATUS = 422;

/** Adds the pages and forms for a user's own account and sessions. */
export function accountRoom(routes: ConsoleRoutes): void {
  routes.change("/tenant", "signed_in", {
    act: async (visit) => {
      const request = { tenantId: visit.text("tenant"), ...tokenOf(visit) };
      await visit.core.users.switchTenant(request, visit.as);
      return visit.goTo(visit.path(""));
    },
  });
  routes.page("/account", "signed_in", async (visit) => await show(visit, NO_PROBLEMS, 200));
  routes.change("/account/password", "signed_in", {
    act: async (visit) => {
      const newPassword = visit.text("new_password");
      if (newPassword !== visit.text("again")) {
        throw new FormProblem("again", messagesIn(visit.language)("differs"));
      }
      const request = { ...tokenOf(visit), password: visit.text("password"), newPassword };
      await visit.core.users.changePassword(request, visit.as);
      return visit.goTo(visit.path("/account?done=password"));
    },
    refused: async (visit, problems) => await show(visit, withRule(visit, problems), PROBLEM_STATUS),
  });
  routes.change("/account/sessions/:id", "signed_in", {
    act: async (visit) => {
      await visit.core.users.revokeSession({ ...tokenOf(visit), id: visit.part("id") }, visit.as);
      return visit.goTo(visit.path("/account?done=ended"));
    },
  });
  routes.change("/account/signout", "signed_in", {
    act: async (visit) => {
      await visit.core.users.signOutEverywhere(tokenOf(visit), visit.as);
      return visit.goTo("/console/signin");
    },
  });
}

async function show(visit: Visit, problems: Problems, status: number): Promise<FastifyReply> {
  const { sessions } = await visit.core.users.listSessions(tokenOf(visit), visit.as);
  return await visit.show(accountPage(visit, sessions, problems), status);
}

/** The core only reports a refusal; the page names the rule. */
function withRule(visit: Visit, problems: Problems): Problems {
  const field = "new_password";
  return problems.has(field) ? new Map(problems).set(field, messagesIn(visit.language)("length")) : problems;
}

function tokenOf({ sessionToken }: Visit): { tokenHash: Uint8Array } {
  return { tokenHash: hashToken(sessionToken) };
}
