import type { Invitation, Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import { roleName, type Visit } from "../visit.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";

const DONE: Readonly<Record<string, MessageKey>> = {
  role: "role_changed",
  removed: "removed",
  revoked: "revoked",
};

/** Returns the list of members and invitations. */
export function listPage(visit: Visit, members: readonly Member[], invitations: readonly Invitation[]): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("title"),
    section: "/people",
    actions: visit.can("users.write")
      ? html`<a class="button primary" href="${visit.path("/people/invite")}">${t("invite")}</a>`
      : "",
    content: html`${doneNotice(visit, t, DONE)}
      <p class="quiet">${t("lead")}</p>
      <h2>${t("members")}</h2>
      ${memberTable(visit, t, members)}
      <h2>${t("invitations")}</h2>
      ${invitationTable(visit, t, invitations)}`,
  });
}

function memberTable(visit: Visit, t: Translate, members: readonly Member[]): Html {
  return table({
    caption: t("members"),
    columns: [t("name"), t("email"), t("role"), t("since"), t("last_signed_in")].map((title) => ({
      title,
    })),
    rows: members.map(({ userId, name, email, role, createdAt, lastSignedInAt }) => [
      html`<a href="${visit.path(`/people/${userId}`)}">${name}</a>
        ${userId === visit.session.user?.id ? badge("plain", t("you")) : ""}`,
      email,
      visit.t(`role_${roleName(role)}`),
      time(visit, createdAt),
      time(visit, lastSignedInAt, t("never")),
    ]),
    empty: html`<p>${t("no_members")}</p>`,
  });
}

function invitationTable(visit: Visit, t: Translate, invitations: readonly Invitation[]): Html {
  return table({
    caption: t("invitations"),
    columns: [t("email"), t("role"), t("sent"), t("expires"), t("actions")].map((title) => ({
      title,
    })),
    rows: invitations.map(({ id, email, role, userId, createdAt, expiresAt }) => [
      html`${email} ${userId === undefined ? "" : badge("warn", t("reset_link"))}`,
      visit.t(`role_${roleName(role)}`),
      time(visit, createdAt),
      time(visit, expiresAt),
      html`<a
        class="button"
        href="${visit.path(`/people/invitations/${id}/revoke`)}"
        aria-label="${t("revoke")} ${email}"
        >${t("revoke")}</a
      >`,
    ]),
    empty: html`<p>${t("no_invitations")}</p>`,
  });
}
