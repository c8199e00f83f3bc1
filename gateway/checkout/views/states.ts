import {
  MoneyBack,
  type Checkout,
  type CheckoutPayment,
  type UntakenMoney,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { outcome, page } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";

type Tone = "good" | "bad" | "still";

const SIGNS: Readonly<Record<Tone, string>> = {
  good: "M9.5 16.2 5.3 12l-1.4 1.4 5.6 5.6L20.1 8.4 18.7 7z",
  bad: "M18.3 5.7 12 12l6.3 6.3-1.4 1.4L10.6 13.4 4.3 19.7 2.9 18.3 9.2 12 2.9 5.7 4.3 4.3l6.3 6.3 6.3-6.3z",
  still: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm1 9H8v-2h3V7h2z",
};

/** Returns a page that only reports a state. */
export function statePage(
  context: PageContext,
  tone: Tone,
  title: MessageKey,
  text: Html | string,
  after: Html | string = "",
  checkout?: Checkout,
): Html {
  const { t } = context;
  return page(
    context,
    t(title),
    html`<div class="state ${tone}" role="status">
        <svg class="sign" viewBox="0 0 24 24" width="48" height="48" aria-hidden="true">
          <path d="${SIGNS[tone]}" />
        </svg>
        ${outcome(t(title))}
        <p>${text}</p>
      </div>
      ${after}`,
    checkout,
  );
}

/** Returns the page of a link that takes no payment. Who still has its code reads not to pay it. */
export function closedPage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const { status, option } = checkout.session?.payment ?? {};
  const hasCode = status === PaymentStatus.PENDING && option?.paymentMethod === PaymentMethod.PIX;
  const after = hasCode ? html`<p class="note">${t("code_void")}</p>` : "";
  switch (checkout.status) {
    case PaymentLinkStatus.COMPLETED:
      return statePage(context, "good", "completed_title", t("completed_text"), after, checkout);
    case PaymentLinkStatus.CANCELED:
      return statePage(context, "bad", "canceled_title", t("canceled_text"), after, checkout);
    default:
      return statePage(context, "still", "link_expired_title", t("link_expired_text"), after, checkout);
  }
}

export function formRefusedPage(context: PageContext): Html {
  return statePage(context, "bad", "failed_title", context.t("form_refused"));
}

export function unknownPage(context: PageContext): Html {
  return statePage(context, "bad", "unknown_title", context.t("unknown_text"));
}

export function wrongPage(context: PageContext): Html {
  return statePage(context, "bad", "wrong_title", context.t("wrong_text"));
}

/** Returns the page for a payer who has to wait because of a limit on sessions or payments. */
export function busyPage(context: PageContext, linkId: string, seconds: number): Html {
  const { t } = context;
  const retry = linkTo(linkId, t("try_again"));
  return statePage(context, "still", "busy_title", t("busy_text", { seconds: String(seconds) }), retry);
}

/** Returns the page of a session whose prices have expired. */
export function sessionOverPage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const anew = linkTo(checkout.linkId, t("new_prices"));
  return statePage(context, "still", "session_over_title", t("session_over_text"), anew, checkout);
}

/** Returns a button that leads to the link's first page, which has the prices of that moment. */
export function linkTo(linkId: string, label: string, kind: "primary" | "plain" = "primary"): Html {
  return html`<p><a class="button ${kind}" href="/pay/${encodeURIComponent(linkId)}">${label}</a></p>`;
}

const BACK: Readonly<Record<number, MessageKey>> = {
  [MoneyBack.ON_ITS_WAY]: "back_on_its_way",
  [MoneyBack.DONE]: "back_done",
};

/** Returns what is said of money that could not be taken: why, and what becomes of it. */
export function exceptionNote(context: PageContext, payment: CheckoutPayment): Html | "" {
  if (!payment.untakenMoney) return "";
  return html`<p class="note" role="status">${untakenText(context, payment, payment.untakenMoney)}</p>`;
}

/** Returns whether the payment's own money came a second time. */
export function isPaidTwice({ untakenMoney, status }: CheckoutPayment): boolean {
  return untakenMoney?.isDuplicate === true && status === PaymentStatus.SUCCEEDED;
}

/** Returns why money could not be taken, unless the heading says that it came twice, and what becomes of it. */
function untakenText(
  { t, format }: PageContext,
  payment: CheckoutPayment,
  { amount, isDuplicate, back }: UntakenMoney,
): string {
  const next = t(BACK[back] ?? "back_by_seller", { amount: format.money(amount, "BRL") });
  if (isPaidTwice(payment)) return next;
  return `${t(isDuplicate ? "came_after_another" : "came_unusable")} ${next}`;
}

/**
 * Returns the page of who gets back all their money, or undefined: money came for a payment that had ended, or that is
 * pending at a link which takes no payment.
 */
export function untakenPage(context: PageContext, checkout: Checkout): Html | undefined {
  const { linkId, session } = checkout;
  const payment = session?.payment;
  const isActive = checkout.status === PaymentLinkStatus.ACTIVE;
  if (!payment?.untakenMoney || !hasEnded(payment, isActive)) return undefined;
  const { untakenMoney } = payment;
  const title = untakenMoney.isDuplicate ? "came_after_another_title" : "came_unusable_title";
  const path = session?.isOpen ? `${linkId}/${session.id}?choose=1` : `${linkId}?again=1`;
  const again = isActive ? html`<p><a href="/pay/${path}">${context.t("pay_again")}</a></p>` : "";
  return statePage(context, "still", title, untakenText(context, payment, untakenMoney), again, checkout);
}

function hasEnded({ status }: CheckoutPayment, isActive: boolean): boolean {
  if (status === PaymentStatus.PENDING) return !isActive;
  return status === PaymentStatus.FAILED || status === PaymentStatus.EXPIRED;
}
