import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Role } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { choiceField, inputField, passwordField, postForm, problemList, type Option } from "../parts/form.ts";
import { copyable } from "../parts/show.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

export const ROLES = wordsOf(Role);

/** The parts of a page that changes members. It asks for the password again. */
export interface StepParts {
  readonly title: string;
  /** The form's path, and the page that leads to it. */
  readonly path: string;
  readonly from: { readonly path: string; readonly title: string };
  readonly text?: string;
  readonly fields?: Html;
  readonly button: string;
  readonly isDangerous?: boolean;
}

export function stepPage(visit: Visit, problems: Problems, parts: StepParts): Html {
  const { title, path, from, text, fields, button, isDangerous } = parts;
  return consolePage(visit, {
    title,
    section: "/people",
    trail: from,
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${text ? html`<p>${text}</p>` : ""}
        ${postForm(
          visit,
          visit.path(path),
          html`${fields ?? ""} ${passwordField(visit, problems)}
            <div class="actions">
              <button class="${isDangerous ? "danger" : "primary"}">${button}</button>
              <a class="button" href="${visit.path(from.path)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

export function roleField(t: Translate, problems: Problems, chosen: string): Html {
  return choiceField({
    kind: "radio",
    name: "role",
    label: t("role"),
    options: ROLES.all.map((name): Option => [name, t(`${name}_help`)]),
    chosen: [chosen],
    problems,
  });
}

/** The submitted form of an invitation. */
export interface TypedInvitation {
  readonly email: string;
  readonly role: string;
}

export function invitePage(visit: Visit, problems: Problems, typed: TypedInvitation): Html {
  const t = messagesIn(visit.language);
  return stepPage(visit, problems, {
    title: t("invite_title"),
    path: "/people/invite",
    from: { path: "/people", title: t("title") },
    fields: html`${inputField({
      name: "email",
      type: "email",
      label: t("email"),
      help: t("invite_email_help"),
      value: typed.email,
      isRequired: true,
      maxLength: 254,
      problems,
    })}
    ${roleField(t, problems, typed.role)}`,
    button: t("invite_button"),
  });
}

/** Returns the only page that ever shows a one-time link. */
export function linkPage(visit: Visit, link: string, email: string, expiresAt: Timestamp | undefined): Html {
  const t = messagesIn(visit.language);
  const until = expiresAt ? visit.format.time(expiresAt) : "";
  return consolePage(visit, {
    title: t("link_title"),
    section: "/people",
    content: html`<div class="secret-once">
        <p role="status">${t("link_once", { email, time: until })}</p>
        ${copyable(visit, "link", link, t("link_label"))}
      </div>
      <p><a class="button primary" href="${visit.path("/people")}">${t("link_done")}</a></p>`,
  });
}
