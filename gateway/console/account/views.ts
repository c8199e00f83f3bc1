import type { ListedSession } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { buttonForm } from "../parts/form.ts";
import { badge, card, facts, time } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { roleName, type Visit } from "../visit.ts";
import { browserName } from "./browser-name.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";

const DONE: Readonly<Record<string, MessageKey>> = {
  ended: "ended",
  password: "password_changed",
  digest: "digest_changed",
  payment_mails: "payments_changed",
};

type MailKind = "digest" | "payments";

/** What the page of the user's own account shows. */
export interface Account {
  readonly sessions: readonly ListedSession[];
  /** The e-mails that the user gets. Undefined: no e-mail is sent. */
  readonly mails: Readonly<Record<MailKind, boolean>> | undefined;
}

/** Returns the page of the user's own account: name, sessions and password. */
export async function accountPage(
  visit: Visit,
  form: Html,
  problems: Html | "",
  { sessions, mails }: Account,
): Promise<Html> {
  const t = messagesIn(visit.language);
  const { user, memberships, expiresAt } = visit.session;
  const companies = memberships.map(
    ({ tenantName, role }) => `${tenantName} (${visit.t(`role_${roleName(role)}`)})`,
  );
  return consolePage(visit, {
    title: t("title"),
    section: "/account",
    content: html`${doneNotice(visit, t, DONE)} ${problems}
      ${card(
        t("you"),
        facts([
          [t("name"), user?.name ?? ""],
          [t("email"), user?.email ?? ""],
          [t("companies"), companies.join(", ")],
        ]),
      )}
      <h2>${t("sessions")}</h2>
      ${sessionTable(visit, t, sessions)}
      <p class="quiet">${t("ends", { time: expiresAt ? visit.format.time(expiresAt) : "" })}</p>
      ${buttonForm(visit, visit.path("/account/signout"), t("everywhere"), { kind: "danger", question: t("everywhere_question") })}
      ${mails ? html`${mailCard(visit, t, "payments", mails.payments)} ${mailCard(visit, t, "digest", mails.digest)}` : ""}
      <section class="card slim">
        <h2>${t("password")}</h2>
        <p class="quiet">${t("password_text")}</p>
        ${form}
      </section>`,
  });
}

const MAIL_PATHS = { digest: "/account/digest", payments: "/account/payment-mails" } as const;

/** Returns whether the user gets e-mails of a kind, and the button that changes it. */
function mailCard(visit: Visit, t: Translate, kind: MailKind, isOn: boolean): Html {
  const hidden = { on: String(!isOn) };
  const company = visit.session.membership?.tenantName ?? "";
  const button = t(isOn ? `${kind}_off` : `${kind}_on`);
  return html`<section class="card slim">
    <h2>${t(kind)}</h2>
    <p>${t(isOn ? `${kind}_is_on` : `${kind}_is_off`, { company })}</p>
    ${buttonForm(visit, visit.path(MAIL_PATHS[kind]), button, { hidden })}
  </section>`;
}

function sessionTable(visit: Visit, t: Translate, sessions: readonly ListedSession[]): Html {
  return rowTable(t, {
    caption: t("sessions"),
    rows: sessions,
    columns: {
      browser: ({ userAgent }) => browserText(t, userAgent),
      company: ({ tenantName }) => tenantName,
      address: ({ address }) => address || t("unknown"),
      began: ({ createdAt }) => time(visit, createdAt),
      last_seen: ({ lastSeenAt }) => time(visit, lastSeenAt),
      actions: ({ isCurrent, id }) =>
        isCurrent
          ? badge("good", t("this_one"))
          : buttonForm(visit, visit.path(`/account/sessions/${id}`), t("end")),
    },
    empty: html``,
  });
}

function browserText(t: Translate, userAgent: string): string {
  const known = browserName(userAgent);
  return known ? t("browser_on", known) : userAgent.slice(0, 60) || t("unknown");
}

/** Returns the hidden field from which a browser knows whose password it keeps. */
export function userName({ session }: Visit): Html {
  return html`<input
    type="text"
    name="email"
    value="${session.user?.email ?? ""}"
    autocomplete="username"
    hidden
    readonly
  />`;
}
