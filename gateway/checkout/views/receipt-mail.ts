import { html, type Html } from "../../pages/html.ts";
import type { Receipt } from "../context.ts";
import type { MessageKey } from "../messages.ts";
import type { PageContext } from "../page-context.ts";

const EMAIL_MAX = 254;
const ID = "email";
/** The form's place in the page. */
export const FORM = "mail";

/** What became of the payer's last e-mail with the receipt. */
export interface ReceiptMail {
  readonly receipt?: Receipt | undefined;
  /** An address that was refused. */
  readonly email?: string | undefined;
}

const PROBLEMS: Partial<Record<Receipt, MessageKey>> = { wrong: "email_wrong", full: "receipt_mail_full" };

/** Returns the form that sends the receipt to an address which its payer gives. */
export function receiptMailForm(
  { t }: PageContext,
  path: string,
  { receipt, email = "" }: ReceiptMail,
): Html {
  const problem = receipt && PROBLEMS[receipt];
  const described = problem ? `${ID}_help ${ID}_problem` : `${ID}_help`;
  return html`<form id="${FORM}" method="post" action="${path}/receipt">
    ${receipt === "sent" ? html`<p class="held" role="status">${t("receipt_mail_sent")}</p>` : ""}
    <div class="field">
      <label for="${ID}">${t("receipt_mail")}</label>
      <input
        id="${ID}"
        name="email"
        type="email"
        inputmode="email"
        autocomplete="email"
        value="${email}"
        maxlength="${EMAIL_MAX}"
        required
        aria-describedby="${described}"
        ${problem ? html` aria-invalid="true"` : ""}
      />
      <p class="quiet" id="${ID}_help">${t("receipt_mail_help")}</p>
      ${problem ? html`<p class="problem" id="${ID}_problem" role="alert">${t(problem)}</p>` : ""}
    </div>
    <button class="plain">${t("receipt_mail_send")}</button>
  </form>`;
}
