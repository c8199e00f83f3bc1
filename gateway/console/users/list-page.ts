import type { Invitation, Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { bothWays, PAGE_OF_WHOLE, pageOfWhole, type PageOfWhole } from "../list/whole.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, cut, time } from "../parts/show.ts";
import { pager, rowTable } from "../parts/table.ts";
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
  fetch: async (visit, asked) => {
    const { core, tenantId, as } = visit;
    const { members, invitations } = await core.users.listMembers({ tenantId }, as);
    const page = pageOfWhole(members, asked, {
      ...bothWays<Member>("since", ({ createdAt }) => createdAt?.seconds),
      ...bothWays<Member>("signed_in", ({ lastSignedInAt }) => lastSignedInAt?.seconds),
    });
    return { ...page, invited: invitedPage(visit, invitations) };
  },
  total: ({ rowCount }) => BigInt(rowCount),
  columns: ({ visit, t }) => ({
    name: ({ userId, name }) =>
      html`<a class="cut" href="${visit.path(`/people/${userId}`)}" title="${name}">${name}</a>
        ${userId === visit.session.user?.id ? badge("plain", t("you")) : ""}`,
    email: ({ email }) => cut(email, "email"),
    role: ({ role }) => visit.t(`role_${roleName(role)}`),
    since: ({ createdAt }) => time(visit, createdAt),
    last_signed_in: ({ lastSignedInAt }) => time(visit, lastSignedInAt, t("never")),
  }),
  isOfLines: true,
  pocket: ["role", "last_signed_in"],
  empty: () => ["no_members"],
  around: (table, { visit, t, found: { invited }, address }) =>
    html`<h2>${t("members")}</h2>
      ${table}
      <h2>${t("invitations")}</h2>
      ${invitationTable(visit, t, invited.rows)} ${invitedPager(visit, invited, address)}`,
});

/** A page of the open invitations, apart from that of the members. */
interface InvitedPage extends PageOfWhole<Invitation> {
  readonly from: number;
}

/** A company may have a thousand, and a page of all of them keeps the process from others for a tenth of a second. */
function invitedPage({ query }: Visit, invitations: readonly Invitation[]): InvitedPage {
  const startingAfter = query["invited"] ?? "";
  const page = pageOfWhole(invitations, { cursor: { startingAfter }, order: "" });
  const from = Number(page.next ?? invitations.length) - page.rows.length;
  return { ...page, from };
}

function invitedPager(
  visit: Visit,
  { from, next, rows, rowCount }: InvitedPage,
  address: (changes: Readonly<Record<string, string | undefined>>) => string,
): Html | "" {
  if (rows.length === rowCount) return "";
  const number = (value: number): string => value.toLocaleString(visit.language);
  const numbers = { from: number(from + 1), to: number(from + rows.length), total: number(rowCount) };
  return pager(visit, {
    next: next === undefined ? undefined : address({ invited: next }),
    previous: from === 0 ? undefined : address({ invited: String(Math.max(0, from - PAGE_OF_WHOLE)) }),
    rows: rows.length === 0 ? "" : visit.t("rows_of", numbers),
  });
}

function invitationTable(visit: Visit, t: Translate, rows: readonly Invitation[]): Html {
  return rowTable(t, {
    caption: t("invitations"),
    isOfLines: true,
    rows,
    columns: {
      email: ({ email, userId }) =>
        html`${cut(email, "email")} ${userId === undefined ? "" : badge("warn", t("reset_link"))}`,
      role: ({ role }) => visit.t(`role_${roleName(role)}`),
      sent: ({ createdAt }) => time(visit, createdAt),
      expires: ({ expiresAt }) => time(visit, expiresAt),
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
