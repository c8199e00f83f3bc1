import { wordsOf } from "../../../contract/enum-words.ts";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  ChangeMemberRoleRequestSchema,
  InviteUserRequestSchema,
  Role,
  type Invitation,
  type Member,
} from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Field } from "../form/field.ts";
import { form } from "../form/form.ts";
import type { ShownOnce } from "../form/once.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { roleName, type Visit } from "../visit.ts";
import { usersList } from "./list-page.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { facts, time } from "../parts/show.ts";

const ROLES = wordsOf(Role);
const ROLE_FIELD: Field<MessageKey> = {
  kind: "radio",
  label: "role",
  options: (t) => ROLES.all.map((name) => [name, t(`${name}_help`)]),
};

const ROOM = {
  permission: "users.write",
  section: "/people",
  messages: messagesIn,
  asksPassword: true,
} as const;
const MEMBER = {
  ...ROOM,
  load: memberOf,
  values: ({ name }: Member) => ({ name }),
  from: (_: Translate, { userId, name }: Member) => ({ path: `/people/${userId}`, title: name }),
} as const;

/** Adds the pages of the company's members, which are the same in both environments. */
export function usersRoom(routes: ConsoleRoutes): void {
  usersList.addTo(routes);
  routes.page(
    "/people/:id",
    "users.read",
    async (visit) => await visit.show(memberPage(visit, await memberOf(visit))),
  );
  form(routes, {
    ...ROOM,
    path: "/people/invite",
    title: "invite_title",
    button: "invite_button",
    request: InviteUserRequestSchema,
    fields: {
      email: { kind: "email", label: "email", help: "invite_email_help" },
      role: ROLE_FIELD,
    },
    initial: () => ({ role: "viewer" }),
    act: async (visit, sent) => {
      const [email, role] = [sent.text("email"), roleOf(sent.text("role") || "viewer")];
      const { tenantId, core, as } = visit;
      const { language } = visit;
      return linkOf(
        visit,
        sent.t,
        email,
        await core.users.inviteUser({ tenantId, email, role, language }, as),
      );
    },
  });
  form(routes, {
    ...MEMBER,
    path: "/people/:id/role",
    title: "change_role_title",
    button: "change_role_button",
    request: ChangeMemberRoleRequestSchema,
    fields: { role: ROLE_FIELD },
    initial: ({ role }) => ({ role: roleName(role) }),
    act: async ({ core, tenantId, as }, sent) => {
      const { userId } = sent.loaded;
      await core.users.changeMemberRole({ tenantId, userId, role: roleOf(sent.text("role")) }, as);
      return "/people?done=role";
    },
  });
  form(routes, {
    ...MEMBER,
    path: "/people/:id/remove",
    title: "remove_title",
    text: "remove_text",
    button: "remove_button",
    isDangerous: true,
    act: async ({ core, tenantId, as }, { loaded: { userId } }) => {
      await core.users.removeMember({ tenantId, userId }, as);
      return "/people?done=removed";
    },
  });
  form(routes, {
    ...MEMBER,
    path: "/people/:id/reset",
    title: "reset_title",
    text: "reset_text",
    button: "reset_button",
    act: async (visit, { t, loaded: { userId, email } }) => {
      const { tenantId, core, as } = visit;
      return linkOf(visit, t, email, await core.users.resetUser({ tenantId, userId }, as));
    },
  });
  form(routes, {
    ...ROOM,
    path: "/people/invitations/:id/revoke",
    title: "revoke_title",
    text: "revoke_text",
    button: "revoke_button",
    isDangerous: true,
    load: invitationOf,
    values: ({ email }) => ({ email }),
    act: async ({ core, tenantId, as }, { loaded: { id } }) => {
      await core.users.revokeInvitation({ tenantId, id }, as);
      return "/people?done=revoked";
    },
  });
}

function roleOf(name: string): Role {
  return ROLES.numberOf(name) ?? Role.UNSPECIFIED;
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

/** Returns the invitation in the path. Throws Refused when it is not open. */
async function invitationOf(visit: Visit): Promise<Invitation> {
  const { invitations } = await usersOf(visit);
  const invitation = invitations.find(({ id }) => id === visit.part("id"));
  if (!invitation) throw new Refused("unknown", visit);
  return invitation;
}

/** Returns a one-time link, at the console's address in this browser, which the guard has checked. */
function linkOf(
  { request, format }: Visit,
  t: Translate,
  email: string,
  {
    token,
    expiresAt,
    isMailed,
  }: {
    readonly token: string;
    readonly expiresAt?: Timestamp | undefined;
    readonly isMailed: boolean;
  },
): ShownOnce {
  return {
    title: t("link_title"),
    text: t(isMailed ? "link_mailed" : "link_once", { email, time: expiresAt ? format.time(expiresAt) : "" }),
    id: "link",
    value: `${request.headers.origin ?? ""}/console/invitations/${token}`,
    label: t("link_label"),
    done: t(isMailed ? "link_mailed_done" : "link_done"),
    path: "/people",
  };
}

/** Returns the page of one member, with the actions on the member. */
function memberPage(visit: Visit, member: Member): Html {
  const t = messagesIn(visit.language);
  const { userId, name, email, role, createdAt, lastSignedInAt } = member;
  const path = (step: string): string => visit.path(`/people/${userId}/${step}`);
  return consolePage(visit, {
    title: t("member_title", { name }),
    section: "/people",
    trail: { path: "/people", title: t("title") },
    content: html`<section class="card">
      ${facts([
        [t("email"), email],
        [t("role"), visit.t(`role_${roleName(role)}`)],
        [t("since"), time(visit, createdAt)],
        [t("last_signed_in"), time(visit, lastSignedInAt, t("never"))],
      ])}
      <div class="actions">
        <a class="button" href="${path("role")}">${t("change_role")}</a>
        <a class="button" href="${path("reset")}">${t("reset")}</a>
        <a class="button danger" href="${path("remove")}">${t("remove")}</a>
      </div>
    </section>`,
  });
}
