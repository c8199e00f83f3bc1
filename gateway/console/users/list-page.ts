import type { Invitation, Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { bothWays, pageOfWhole } from "../list/whole.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, cut, shortTime } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { roleName, type Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** The members of the company, and its invitations. */
export const usersList = list({
  path: "/people",
  permission: "users.read",
  messages: messagesIn,
  title: "title",
  caption: "members",
  lead: "lead",
  create: { path: "/people/invite", permission: "users.write", label: "invite" },
  above: ({ visit, t }) =>
    doneNotice(visit, t, { role: "role_changed", removed: "removed", revoked: "revoked" }),
  sorts: { since: ["since_asc", "since_desc"], last_signed_in: ["signed_in_desc", "signed_in_asc"] },
  fetch: async ({ core, tenantId, as }, asked) => {
    const { members, invitations } = await core.users.listMembers({ tenantId }, as);
    const page = pageOfWhole(members, asked, {
      ...bothWays<Member>("since", ({ createdAt }) => createdAt?.seconds),
      ...bothWays<Member>("signed_in", ({ lastSignedInAt }) => lastSignedInAt?.seconds),
    });
    return { ...page, invitations };
  },
  total: ({ rowCount }) => BigInt(rowCount),
  columns: ({ visit, t }) => ({
    name: ({ userId, name }) =>
      html`<a class="cut" href="${visit.path(`/people/${userId}`)}" title="${name}">${name}</a>
        ${userId === visit.session.user?.id ? badge("plain", t("you")) : ""}`,
    email: ({ email }) => cut(email, "email"),
    role: ({ role }) => visit.t(`role_${roleName(role)}`),
    since: ({ createdAt }) => shortTime(visit, createdAt),
    last_signed_in: ({ lastSignedInAt }) => shortTime(visit, lastSignedInAt, t("never")),
  }),
  isOfLines: true,
  empty: () => ["no_members"],
  around: (table, { visit, t, found }) =>
    html`<h2>${t("members")}</h2>
      ${table}
      <h2>${t("invitations")}</h2>
      ${invitationTable(visit, t, found.invitations)}`,
});

function invitationTable(visit: Visit, t: Translate, rows: readonly Invitation[]): Html {
  return rowTable(t, {
    caption: t("invitations"),
    isOfLines: true,
    rows,
    columns: {
      email: ({ email, userId }) =>
        html`${cut(email, "email")} ${userId === undefined ? "" : badge("warn", t("reset_link"))}`,
      role: ({ role }) => visit.t(`role_${roleName(role)}`),
      sent: ({ createdAt }) => shortTime(visit, createdAt),
      expires: ({ expiresAt }) => shortTime(visit, expiresAt),
      actions: ({ id, email }) =>
        html`<a
          class="button"
          href="${visit.path(`/people/invitations/${id}/revoke`)}"
          aria-label="${t("revoke")} ${email}"
          >${t("revoke")}</a
        >`,
    },
    empty: html`<p>${t("no_invitations")}</p>`,
  });
}
