import { html } from "hono/html";
import type { GetInvitationResponse } from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Html } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { guestPage } from "../frame.ts";
import { inputField, postForm, problemList } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import { roleName, type Guest } from "../visit.ts";
import { sayIn, type Say } from "./words.ts";

/** What was typed before; never a password or a code. */
export interface Typed {
  readonly email?: string;
  readonly name?: string;
}

export function signInPage(guest: Guest, next: string, problems: Problems, { email = "" }: Typed = {}): Html {
  const say = sayIn(guest.language);
  return guestPage(
    guest,
    say("sign_in"),
    html`${guest.query["ended"] === undefined ? "" : html`<p class="note" role="status">${say("ended")}</p>`}
      <p class="quiet">${say("sign_in_lead")}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        "/console/signin",
        html`<input type="hidden" name="next" value="${next}" />
          ${inputField({
            name: "email",
            type: "email",
            label: say("email"),
            value: email,
            autocomplete: "username",
            isRequired: true,
            problems,
          })}
          ${inputField({
            name: "password",
            type: "password",
            label: say("password"),
            autocomplete: "current-password",
            isRequired: true,
            problems,
          })}
          ${codeField(say, problems)}
          <button class="primary wide">${say("sign_in")}</button>`,
      )}
      <p class="quiet">${say("lost")}</p>`,
  );
}

export function invitationPage(
  guest: Guest,
  token: string,
  invitation: GetInvitationResponse,
  problems: Problems,
  { name = "" }: Typed = {},
): Html {
  const say = sayIn(guest.language);
  const { tenantName: tenant, email, isReset, hasAccount, totpUri, totpSecret } = invitation;
  const role = guest.say(`role_${roleName(invitation.role)}`);
  const isNew = totpUri !== undefined;
  return guestPage(
    guest,
    say(isReset ? "reset" : "invitation", { tenant }),
    html`<p>${isReset ? say("reset_for", { email }) : say("invited_as", { role, email })}</p>
      ${hasAccount && !isReset ? accountChoice(say, token, isNew) : ""} ${problemList(guest, problems)}
      ${postForm(
        guest,
        `/console/invitations/${token}`,
        html`<input type="hidden" name="email" value="${email}" autocomplete="username" />
          ${isNew && !isReset ? html`<input type="hidden" name="account" value="new" />` : ""}
          ${
            isNew && !isReset
              ? inputField({
                  name: "name",
                  label: say("your_name"),
                  value: name,
                  autocomplete: "name",
                  isRequired: true,
                  maxLength: 200,
                  problems,
                })
              : ""
          }
          ${inputField({
            name: "password",
            type: "password",
            label: say(isNew ? "new_password" : "password"),
            autocomplete: isNew ? "new-password" : "current-password",
            isRequired: true,
            problems,
            ...(isNew ? { help: say("new_password_help") } : {}),
          })}
          ${isNew ? authenticator(say, totpUri, totpSecret ?? "") : ""} ${codeField(say, problems)}
          <button class="primary wide">${say(isReset ? "accept_reset" : "accept")}</button>`,
      )}`,
  );
}

/** Which account the form is for, and the way to the other form. */
function accountChoice(say: Say, token: string, isNew: boolean): Html {
  const path = `/console/invitations/${token}`;
  return isNew
    ? html`<p>${say("new_account")}</p>
        <p><a href="${path}">${say("use_account")}</a></p>`
    : html`<p>${say("has_account")}</p>
        <p><a href="${path}?account=new">${say("make_account")}</a></p>`;
}

export function gonePage(guest: Guest): Html {
  const say = sayIn(guest.language);
  return guestPage(guest, say("gone_title"), html`<p>${say("gone_text")}</p>`);
}

function codeField(say: Say, problems: Problems): Html {
  return inputField({
    name: "code",
    label: say("code"),
    help: say("code_help"),
    autocomplete: "one-time-code",
    inputmode: "numeric",
    isRequired: true,
    maxLength: 16,
    problems,
  });
}

function authenticator(say: Say, uri: string, secret: string): Html {
  return html`<h2>${say("authenticator")}</h2>
    <p>${say("authenticator_help")}</p>
    <div class="qr" role="img" aria-label="${say("qr")}">${qrCode(uri)}</div>
    <p class="quiet">
      ${say("secret")}: <code class="secret">${secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code>
    </p>`;
}
