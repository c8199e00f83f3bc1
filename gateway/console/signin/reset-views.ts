import { html, type Html } from "../../pages/html.ts";
import { guestPage } from "../frame.ts";
import { inputField, postForm, problemList } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { codeField } from "./views.ts";

/** Returns the page that asks for a link to a new password. */
export function askResetPage(guest: Guest, problems: Problems, email = ""): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("ask_reset"),
    html`<p>${t("ask_reset_text")}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        "/console/reset",
        html`${inputField({
            name: "email",
            type: "email",
            label: t("email"),
            value: email,
            autocomplete: "username",
            isRequired: true,
            problems,
          })} <button class="primary wide">${t("ask_reset_button")}</button>`,
      )}
      <p><a href="/console/signin">${t("sign_in")}</a></p>`,
  );
}

/** Returns the page after the request, the same for every address. */
export function resetSentPage(guest: Guest): Html {
  const t = messagesIn(guest.language);
  return guestPage(guest, t("reset_sent"), html`<p role="status">${t("reset_sent_text")}</p>`);
}

/** Returns the page of a link to a new password. */
export function resetPage(guest: Guest, token: string, email: string, problems: Problems): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("reset_own"),
    html`<p>${t("reset_own_text", { email })}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        `/console/reset/${token}`,
        html`<input type="hidden" name="email" value="${email}" autocomplete="username" />
          ${inputField({
            name: "password",
            type: "password",
            label: t("new_password"),
            help: t("new_password_help"),
            autocomplete: "new-password",
            isRequired: true,
            problems,
          })}
          ${codeField(t, problems)}
          <button class="primary wide">${t("accept_reset")}</button>`,
      )}`,
  );
}

export function resetGonePage(guest: Guest): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("gone_title"),
    html`<p>${t("reset_gone")}</p>
      <p><a href="/console/reset">${t("ask_reset")}</a></p>`,
  );
}
