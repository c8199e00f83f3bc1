import {
  CardStyle,
  type Checkout,
  type CheckoutPayment,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { action, outcome, page } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { html, type Html } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { installmentsText } from "./choose.ts";
import { exceptionNote } from "./states.ts";
import { pageState } from "../page-state.ts";

/** Returns the page of a PIX charge that waits for its money. */
export function pixPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  const { payerTotal = 0n, payerCurrency = "BRL" } = payment.option ?? {};
  const amount = format.money(payerTotal, payerCurrency);
  const code = payment.pixCode ?? "";
  return page(
    context,
    t("pix_title"),
    html`${outcome(t("pix_title"))}
      <p class="big" data-total="${payerTotal}">${amount}</p>
      <p>${t("pix_steps")}</p>
      <button type="button" class="primary" data-copy="pix_code" data-copied="${t("copied")}" hidden>
        ${t("copy")}
      </button>
      <div class="qr" role="img" aria-label="${t("pix_qr", { amount })}">${qrCode(code)}</div>
      <details class="fold">
        <summary>${t("pix_copy_label")}</summary>
        <label class="hidden" for="pix_code">${t("pix_copy_label")}</label>
        <textarea id="pix_code" readonly rows="4" translate="no" spellcheck="false">${code}</textarea>
      </details>
      ${waiting(context, checkout, payment, t("pix_waiting"), codeExpires(context, checkout, payment))}
      ${simulator(context, checkout, base)}
      <p><a href="${base}?choose=1">${t("change_option")}</a></p>`,
    checkout,
  );
}

/** Returns the page of a PIX charge whose provider has not issued the code yet. */
export function preparingPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  const { payerTotal = 0n, payerCurrency = "BRL" } = payment.option ?? {};
  return page(
    context,
    t("pix_preparing_title"),
    html`${outcome(t("pix_preparing_title"))}
      <p class="big" data-total="${payerTotal}">${format.money(payerTotal, payerCurrency)}</p>
      ${waiting(context, checkout, payment, laterText(context, payment) ?? t("pix_preparing"))}
      <p><a href="${base}?choose=1">${t("change_option")}</a></p>`,
    checkout,
  );
}

/** Returns the page of a bank transfer that waits for its money. */
export function transferPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  const { payerTotal = 0n, payerCurrency = "BRL" } = payment.option ?? {};
  const { bankAccount, transferReference = "" } = payment;
  return page(
    context,
    t("ted_title"),
    html`${outcome(t("ted_title"))}
      <p class="note">${t("ted_exact")}</p>
      <dl class="lines">
        <div class="total">
          <dt>${t("total_to_pay")}</dt>
          <dd data-total="${payerTotal}">${format.money(payerTotal, payerCurrency)}</dd>
        </div>
        ${line(t("reference"), transferReference)}
        ${bankAccount ? html`${line(t("bank"), bankAccount.bank)}${line(t("branch"), bankAccount.branch)}${line(t("account"), bankAccount.account)}${line(t("holder"), bankAccount.holder)}${line(t("document"), bankAccount.document)}` : ""}
      </dl>
      ${waiting(context, checkout, payment, t("ted_waiting"), transferUntil(context, payment))}
      ${simulator(context, checkout, base)}`,
    checkout,
  );
}

function line(label: string, value: string): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd translate="no">${value}</dd>
  </div>`;
}

/** Returns the page of a card payment that its issuer has not answered yet. */
export function processingPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t } = context;
  if (payment.isUnderReview) return reviewPage(context, checkout, payment);
  if (payment.cardStyle === CardStyle.REDIRECT) return redirectPage(context, checkout, payment);
  if (payment.challengeUrl) return confirmationPage(context, checkout, payment, payment.challengeUrl);
  return page(
    context,
    t("processing_title"),
    html`${outcome(t("processing_title"))} ${total(context, payment)}
    ${waiting(context, checkout, payment, t("processing_text"))}`,
    checkout,
  );
}

/** Returns the page of a card whose holder must confirm first: what to do comes before all else. */
function confirmationPage(
  context: PageContext,
  checkout: Checkout,
  payment: CheckoutPayment,
  address: string,
): Html {
  const { t } = context;
  return page(
    context,
    t("challenge_needed_title"),
    html`${outcome(t("challenge_needed_title"))}
      <p>${t("challenge_needed")}</p>
      <p><a class="button primary" href="${address}">${t("challenge_go")}</a></p>
      ${total(context, payment)} ${waiting(context, checkout, payment, t("challenge_waiting"))}`,
    checkout,
  );
}

/** Returns the page of a card that is paid on its provider's own page. */
function redirectPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t } = context;
  const { challengeUrl } = payment;
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  const isOpen = checkout.session?.isOpen === true;
  return page(
    context,
    t("redirect_title"),
    html`${outcome(t("redirect_title"))} ${total(context, payment)}
    ${challengeUrl ? html`<p><a class="button primary" href="${challengeUrl}" data-leave="${base}">${t("redirect_go")}</a></p>` : ""}
    ${waiting(context, checkout, payment, laterText(context, payment) ?? t(challengeUrl ? "redirect_text" : "redirect_preparing"))}
    ${isOpen ? html`<p><a href="${base}?choose=1">${t("change_option")}</a></p>` : ""}`,
    checkout,
  );
}

/** Returns the page of a card payment that its provider reviews. */
function reviewPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t } = context;
  return page(
    context,
    t("review_title"),
    html`${outcome(t("review_title"))} ${total(context, payment)}
    ${waiting(context, checkout, payment, t("review_text", { merchant: checkout.merchantName }))}`,
    checkout,
  );
}

/** Returns the sandbox's page in place of a card issuer's. */
export function challengePage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const { payment } = checkout.session ?? {};
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  return page(
    context,
    t("challenge_title"),
    html`${outcome(t("challenge_title"))} ${payment ? total(context, payment) : ""}
      <p>${t("challenge_text")}</p>
      <form method="post" action="${base}/simulate" class="buttons">
        <button class="primary" name="action" value="approve">${t("challenge_approve")}</button>
        <button class="plain" name="action" value="decline">${t("challenge_decline")}</button>
      </form>`,
    checkout,
  );
}

/** Returns the total of a card payment, with its installments. */
function total(context: PageContext, { option }: CheckoutPayment): Html | "" {
  if (!option) return "";
  const { payerTotal, payerCurrency, installments } = option;
  return html`<p class="big" data-total="${payerTotal}">${context.format.money(payerTotal, payerCurrency)}</p>
    ${installments > 1 ? html`<p>${installmentsText(context, option)}</p>` : ""}`;
}

/** Returns what is said while the provider takes no more requests, or undefined. */
function laterText({ t, format }: PageContext, { askedAgainAt }: CheckoutPayment): string | undefined {
  return askedAgainAt && t("asked_later", { time: format.time(askedAgainAt) });
}

/** Returns the waiting message with a button to check now. The script watches for the end. */
function waiting(
  context: PageContext,
  checkout: Checkout,
  payment: CheckoutPayment,
  text: string,
  until: Html | "" = "",
): Html {
  const base = `/pay/${checkout.linkId}/${checkout.session?.id ?? ""}`;
  return html`<div class="waiting">
    <p role="status" data-watch="${base}" data-state="${pageState(checkout)}">${text}</p>
    ${until} ${exceptionNote(context, payment)} ${action(`${base}/refresh`, context.t("check_now"), "plain")}
  </div>`;
}

function codeExpires(
  { t, format }: PageContext,
  { now }: Checkout,
  { expiresAt }: CheckoutPayment,
): Html | "" {
  if (!expiresAt || !now) return "";
  return html`<p>
    ${t("pix_expires")}
    <time data-countdown="${expiresAt.seconds - now.seconds}">${format.time(expiresAt)}</time>
  </p>`;
}

function transferUntil({ t, format }: PageContext, { expiresAt }: CheckoutPayment): Html | "" {
  return expiresAt ? html`<p>${t("ted_until")} <time>${format.time(expiresAt)}</time></p>` : "";
}

function simulator({ t }: PageContext, { mode }: Checkout, base: string): Html | "" {
  if (mode !== Mode.TEST) return "";
  return html`<form
    method="post"
    action="${base}/simulate"
    class="buttons simulator"
    aria-label="${t("test_mode")}"
  >
    <button name="action" value="approve">${t("simulate_paid")}</button>
    <button name="action" value="decline">${t("simulate_failed")}</button>
    <button name="action" value="expire">${t("simulate_expired")}</button>
  </form>`;
}
