import { html } from "hono/html";
import type { Invitation, Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import { roleName, type Visit } from "../visit.ts";
import { sayIn, type Say, type Word } from "./words.ts";

const DONE: Readonly<Record<string, Word>> = {
  role: "role_changed",
  removed: "removed",
  revoked: "revoked",
};

/** Who belongs to the company, and who is invited. */
export function listPage(visit: Visit, members: readonly Member[], invitations: readonly Invitation[]): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: say("title"),
    section: "/people",
    actions: visit.can("users.write")
      ? html`<a class="button primary" href="${visit.path("/people/invite")}">${say("invite")}</a>`
      : "",
    content: html`${doneNotice(visit, say, DONE)}
      <p class="quiet">${say("lead")}</p>
      <h2>${say("members")}</h2>
      ${memberTable(visit, say, members)}
      <h2>${say("invitations")}</h2>
      ${invitationTable(visit, say, invitations)}`,
  });
}

function memberTable(visit: Visit, say: Say, members: readonly Member[]): Html {
  return table({
    caption: say("members"),
    columns: [say("name"), say("email"), say("role"), say("since"), say("last_signed_in")].map((title) => ({
      title,
    })),
    rows: members.map(({ userId, name, email, role, createdAt, lastSignedInAt }) => [
      html`<a href="${visit.path(`/people/${userId}`)}">${name}</a>
        ${userId === visit.session.user?.id ? badge("plain", say("you")) : ""}`,
      email,
      visit.say(`role_${roleName(role)}`),
      time(visit, createdAt),
      time(visit, lastSignedInAt, say("never")),
    ]),
    empty: html`<p>${say("no_members")}</p>`,
  });
}

function invitationTable(visit: Visit, say: Say, invitations: readonly Invitation[]): Html {
  return table({
    caption: say("invitations"),
    columns: [say("email"), say("role"), say("sent"), say("expires"), say("actions")].map((title) => ({
      title,
    })),
    rows: invitations.map(({ id, email, role, userId, createdAt, expiresAt }) => [
      html`${email} ${userId === undefined ? "" : badge("warn", say("reset_link"))}`,
      visit.say(`role_${roleName(role)}`),
      time(visit, createdAt),
      time(visit, expiresAt),
      html`<a
        class="button"
        href="${visit.path(`/people/invitations/${id}/revoke`)}"
        aria-label="${say("revoke")} ${email}"
        >${say("revoke")}</a
      >`,
    ]),
    empty: html`<p>${say("no_invitations")}</p>`,
  });
}
