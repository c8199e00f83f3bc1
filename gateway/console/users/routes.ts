import type { FastifyReply } from "fastify";
import { Role, type Invitation, type Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Html } from "../../pages/html.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { roleName, type Visit } from "../visit.ts";
import { usersList } from "./list-page.ts";
import { memberPage } from "./member-page.ts";
import { invitePage, linkPage, ROLE_NAMES, roleField, stepPage, type TypedInvitation } from "./step-page.ts";
import { messagesIn } from "./messages.ts";

const PROBLEM_STATUS = 422;
const ROLES: ReadonlyMap<string, Role> = new Map([
  ["owner", Role.OWNER],
  ["developer", Role.DEVELOPER],
  ["finance", Role.FINANCE],
  ["viewer", Role.VIEWER],
]);

/** Adds the pages of the company's members, which are the same in both environments. */
export function usersRoom(routes: ConsoleRoutes): void {
  usersList.addTo(routes);
  routes.page(
    "/people/:id",
    "users.read",
    async (visit) => await visit.show(memberPage(visit, await memberOf(visit))),
  );
  inviting(routes);
  const step = stepsOf(routes);
  step("/people/:id/role", rolePage, async (visit) => {
    const role = ROLES.get(visit.text("role")) ?? Role.UNSPECIFIED;
    const { tenantId } = visit;
    await visit.core.users.changeMemberRole({ tenantId, userId: visit.part("id"), role }, visit.as);
    return visit.goTo(visit.path("/people?done=role"));
  });
  step("/people/:id/remove", removePage, async (visit) => {
    const { tenantId } = visit;
    await visit.core.users.removeMember({ tenantId, userId: visit.part("id") }, visit.as);
    return visit.goTo(visit.path("/people?done=removed"));
  });
  step("/people/:id/reset", resetPage, async (visit) => {
    const { userId, email } = await memberOf(visit);
    const { tenantId } = visit;
    const { token, expiresAt } = await visit.core.users.resetUser({ tenantId, userId }, visit.as);
    return await visit.show(linkPage(visit, linkOf(visit, token), email, expiresAt));
  });
  step("/people/invitations/:id/revoke", revokePage, async (visit) => {
    const { tenantId } = visit;
    await visit.core.users.revokeInvitation({ tenantId, id: visit.part("id") }, visit.as);
    return visit.goTo(visit.path("/people?done=revoked"));
  });
}

function typedIn(visit: Visit): TypedInvitation {
  return { email: visit.text("email").trim(), role: visit.text("role") || "viewer" };
}

type Page = (visit: Visit, problems: Problems) => Promise<Html>;

/** Returns a function that adds a page with a form and its change. Each asks for the password. */
function stepsOf(routes: ConsoleRoutes) {
  return (path: string, page: Page, act: (visit: Visit) => Promise<FastifyReply>): void => {
    routes.page(path, "users.write", async (visit) => await visit.show(await page(visit, NO_PROBLEMS)));
    routes.change(path, "users.write", {
      isConfirmed: true,
      act,
      refused: async (visit, problems) => await visit.show(await page(visit, problems), PROBLEM_STATUS),
    });
  };
}

function inviting(routes: ConsoleRoutes): void {
  stepsOf(routes)(
    "/people/invite",
    async (visit, problems) => invitePage(visit, problems, typedIn(visit)),
    async (visit) => {
      const { email, role } = typedIn(visit);
      const request = { tenantId: visit.tenantId, email, role: ROLES.get(role) ?? Role.UNSPECIFIED };
      const { token, expiresAt } = await visit.core.users.inviteUser(request, visit.as);
      return await visit.show(linkPage(visit, linkOf(visit, token), email, expiresAt));
    },
  );
}

async function rolePage(visit: Visit, problems: Problems): Promise<Html> {
  const t = messagesIn(visit.language);
  const member = await memberOf(visit);
  const typed = visit.text("role");
  const chosen = ROLE_NAMES.find((name) => name === typed) ?? roleName(member.role);
  return stepPage(visit, problems, {
    ...about(member, "role"),
    title: t("change_role_title", { name: member.name }),
    fields: roleField(t, problems, chosen),
    button: t("change_role_button"),
  });
}

async function removePage(visit: Visit, problems: Problems): Promise<Html> {
  const t = messagesIn(visit.language);
  const member = await memberOf(visit);
  return stepPage(visit, problems, {
    ...about(member, "remove"),
    title: t("remove_title", { name: member.name }),
    text: t("remove_text"),
    button: t("remove_button"),
    isDangerous: true,
  });
}

async function resetPage(visit: Visit, problems: Problems): Promise<Html> {
  const t = messagesIn(visit.language);
  const member = await memberOf(visit);
  return stepPage(visit, problems, {
    ...about(member, "reset"),
    title: t("reset_title", { name: member.name }),
    text: t("reset_text"),
    button: t("reset_button"),
  });
}

async function revokePage(visit: Visit, problems: Problems): Promise<Html> {
  const t = messagesIn(visit.language);
  const { invitations } = await usersOf(visit);
  const invitation = invitations.find(({ id }) => id === visit.part("id"));
  if (!invitation) throw new Refused("unknown", visit);
  return stepPage(visit, problems, {
    title: t("revoke_title", { email: invitation.email }),
    path: `/people/invitations/${invitation.id}/revoke`,
    from: { path: "/people", title: t("title") },
    text: t("revoke_text"),
    button: t("revoke_button"),
    isDangerous: true,
  });
}

function about({ userId, name }: Member, step: string) {
  const path = `/people/${userId}`;
  return { path: `${path}/${step}`, from: { path, title: name } };
}

async function usersOf({
  core,
  tenantId,
  as,
}: Visit): Promise<{ members: Member[]; invitations: Invitation[] }> {
  return await core.users.listMembers({ tenantId }, as);
}

/** Returns the member in the path. Throws Refused when the company has no such member. */
async function memberOf(visit: Visit): Promise<Member> {
  const { members } = await usersOf(visit);
  const member = members.find(({ userId }) => userId === visit.part("id"));
  if (!member) throw new Refused("unknown", visit);
  return member;
}

/** Uses the console's address in this browser, which the guard has checked. */
function linkOf({ request }: Visit, token: string): string {
  return `${request.headers.origin ?? ""}/console/invitations/${token}`;
}
