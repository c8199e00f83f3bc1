import { html } from "hono/html";
import type { ListedSession } from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { buttonForm, inputField, postForm, problemList } from "../parts/form.ts";
import { badge, card, facts, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import { roleName, type Visit } from "../visit.ts";
import { browserName } from "./browser-name.ts";
import { sayIn, type Say, type Word } from "./words.ts";

const DONE: Readonly<Record<string, Word>> = { ended: "ended", password: "password_changed" };

/** Somebody's own account: who they are, where they are signed in, and their password. */
export function accountPage(visit: Visit, sessions: readonly ListedSession[], problems: Problems): Html {
  const say = sayIn(visit.language);
  const { user, memberships, expiresAt } = visit.session;
  const companies = memberships.map(
    ({ tenantName, role }) => `${tenantName} (${visit.say(`role_${roleName(role)}`)})`,
  );
  return consolePage(visit, {
    title: say("title"),
    section: "/account",
    content: html`${doneNotice(visit, say, DONE)} ${problemList(visit, problems)}
      ${card(
        say("you"),
        facts([
          [say("name"), user?.name ?? ""],
          [say("email"), user?.email ?? ""],
          [say("companies"), companies.join(", ")],
        ]),
      )}
      <h2>${say("sessions")}</h2>
      ${sessionTable(visit, say, sessions)}
      <p class="quiet">${say("ends", { time: expiresAt ? visit.format.time(expiresAt) : "" })}</p>
      ${buttonForm(visit, visit.path("/account/signout"), say("everywhere"), { kind: "danger", question: say("everywhere_question") })}
      <section class="card slim">
        <h2>${say("password")}</h2>
        ${passwordForm(visit, say, problems)}
      </section>`,
  });
}

function sessionTable(visit: Visit, say: Say, sessions: readonly ListedSession[]): Html {
  const titles = [
    say("browser"),
    say("company"),
    say("address"),
    say("began"),
    say("last_seen"),
    say("actions"),
  ];
  return table({
    caption: say("sessions"),
    columns: titles.map((title) => ({ title })),
    rows: sessions.map((session) => [
      browserText(say, session.userAgent),
      session.tenantName,
      session.address || say("unknown"),
      time(visit, session.createdAt),
      time(visit, session.lastSeenAt),
      session.isCurrent
        ? badge("good", say("this_one"))
        : buttonForm(visit, visit.path(`/account/sessions/${session.id}`), say("end")),
    ]),
    empty: html``,
  });
}

function browserText(say: Say, userAgent: string): string {
  const known = browserName(userAgent);
  return known ? say("browser_on", known) : userAgent.slice(0, 60) || say("unknown");
}

function passwordForm(visit: Visit, say: Say, problems: Problems): Html {
  const field = (name: string, label: Word, autocomplete: string, help?: string): Html =>
    inputField({
      name,
      type: "password",
      label: say(label),
      autocomplete,
      isRequired: true,
      problems,
      ...(help === undefined ? {} : { help }),
    });
  return html`<p class="quiet">${say("password_text")}</p>
    ${postForm(
      visit,
      visit.path("/account/password"),
      html`<input
          type="text"
          name="email"
          value="${visit.session.user?.email ?? ""}"
          autocomplete="username"
          hidden
          readonly
        />
        ${field("password", "current_password", "current-password")}
        ${field("new_password", "new_password", "new-password", say("new_password_help"))}
        ${field("again", "again", "new-password")}
        <button class="primary">${say("change_password")}</button>`,
    )}`;
}
