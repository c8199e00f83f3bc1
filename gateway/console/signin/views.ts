import {
  AcceptInvitationRequestSchema,
  SignInRequestSchema,
  type GetInvitationResponse,
} from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { limitOf } from "../form/limits.ts";
import { guestPage } from "../frame.ts";
import { inputField, postForm, problemList } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import { roleName, type Guest } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** All but the last one of a key's groups, which are read and typed one by one. */
const GROUP_OF_FOUR = /.{4}(?=.)/g;

/** The submitted values, never a password or a code. */
export interface Typed {
  readonly email?: string;
  readonly name?: string;
}

/** Returns the page of the sign-in. Where e-mail is sent, it leads to a new password. */
export async function signInPage(
  guest: Guest,
  next: string,
  problems: Problems,
  { email = "" }: Typed = {},
): Promise<Html> {
  const t = messagesIn(guest.language);
  const { isSending } = await guest.core.users.getMailStanding({}, guest.as);
  return guestPage(
    guest,
    t("sign_in"),
    html`${guest.query["ended"] === undefined ? "" : html`<p class="note" role="status">${t("ended")}</p>`}
      <p class="quiet">${t("sign_in_lead")}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        "/console/signin",
        html`<input type="hidden" name="next" value="${next}" />
          ${inputField({
            name: "email",
            type: "email",
            label: t("email"),
            value: email,
            autocomplete: "username",
            isRequired: true,
            problems,
          })}
          ${inputField({
            name: "password",
            type: "password",
            label: t("password"),
            autocomplete: "current-password",
            isRequired: true,
            problems,
          })}
          ${codeField(t, problems)}
          <button class="primary wide">${t("sign_in")}</button>`,
      )}
      ${isSending ? html`<p><a href="/console/reset">${t("ask_reset")}</a></p>` : ""}
      <p class="quiet">${t(isSending ? "lost_phone" : "lost")}</p>`,
  );
}

export function invitationPage(
  guest: Guest,
  token: string,
  invitation: GetInvitationResponse,
  problems: Problems,
  { name = "" }: Typed = {},
): Html {
  const t = messagesIn(guest.language);
  const { tenantName: tenant, email, isReset, hasAccount, totpUri, totpSecret } = invitation;
  const role = guest.t(`role_${roleName(invitation.role)}`);
  const isNew = totpUri !== undefined;
  return guestPage(
    guest,
    t(isReset ? "reset" : "invitation", { tenant }),
    html`<p>${isReset ? t("reset_for", { email }) : t("invited_as", { role, email })}</p>
      ${hasAccount && !isReset ? accountChoice(t, token, isNew) : ""} ${problemList(guest, problems)}
      ${postForm(
        guest,
        `/console/invitations/${token}`,
        html`<input type="hidden" name="email" value="${email}" autocomplete="username" />
          ${isNew && !isReset ? html`<input type="hidden" name="account" value="new" />` : ""}
          ${
            isNew && !isReset
              ? inputField({
                  name: "name",
                  label: t("your_name"),
                  value: name,
                  autocomplete: "name",
                  isRequired: true,
                  maxLength: limitOf(AcceptInvitationRequestSchema.field.name, "maxLength"),
                  problems,
                })
              : ""
          }
          ${inputField({
            name: "password",
            type: "password",
            label: t(isNew ? "new_password" : "password"),
            autocomplete: isNew ? "new-password" : "current-password",
            isRequired: true,
            problems,
            ...(isNew ? { help: t("new_password_help") } : {}),
          })}
          ${isNew ? authenticator(guest, t, totpUri, totpSecret ?? "") : ""} ${codeField(t, problems)}
          <button class="primary wide">${t(isReset ? "accept_reset" : "accept")}</button>`,
      )}`,
  );
}

/** Returns which account the form is for, and a link to the other form. */
function accountChoice(t: Translate, token: string, isNew: boolean): Html {
  const path = `/console/invitations/${token}`;
  return isNew
    ? html`<p>${t("new_account")}</p>
        <p><a href="${path}">${t("use_account")}</a></p>`
    : html`<p>${t("has_account")}</p>
        <p><a href="${path}?account=new">${t("make_account")}</a></p>`;
}

export function gonePage(guest: Guest): Html {
  const t = messagesIn(guest.language);
  return guestPage(guest, t("gone_title"), html`<p>${t("gone_text")}</p>`);
}

export function codeField(t: Translate, problems: Problems): Html {
  return inputField({
    name: "code",
    label: t("code"),
    help: t("code_help"),
    autocomplete: "one-time-code",
    inputmode: "numeric",
    isRequired: true,
    maxLength: limitOf(SignInRequestSchema.field.code, "maxLength"),
    problems,
  });
}

function authenticator(guest: Guest, t: Translate, uri: string, secret: string): Html {
  return html`<h2>${t("authenticator")}</h2>
    <p>${t("authenticator_help")}</p>
    <div class="qr" role="img" aria-label="${t("qr")}">${qrCode(uri)}</div>
    <p><a class="button" href="${uri}">${t("open_app")}</a></p>
    <div class="copyable">
      <strong>${t("secret")}</strong>
      <code class="code" id="totp-secret">${secret.replaceAll(GROUP_OF_FOUR, "$& ")}</code>
      <button type="button" data-copy-text="${secret}" data-copied="${guest.t("copied")}" hidden>
        ${guest.t("copy")}
      </button>
    </div>`;
}
