import { wordsOf } from "../../../contract/enum-words.ts";
import type {
  Checkout,
  CheckoutOption,
  CheckoutPayment,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DeclineCode, PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import { action } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { pageState } from "../page-state.ts";
import { anew } from "./recovery.ts";
import { linkTo, statePage } from "./states.ts";

/** Returns the page of a failed or expired payment, with the ways to go on. */
export function endedPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const { status, askedAgainAt: at } = payment;
  const isExpired = status === PaymentStatus.EXPIRED;
  const [tone, title] = isExpired
    ? (["still", "expired_title"] as const)
    : (["bad", "failed_title"] as const);
  const why = at ? t("try_later", { time: format.time(at) }) : t(reasonOf(payment));
  const text = isExpired ? t("expired_text") : `${why} ${t("no_charge")}`;
  return statePage(context, tone, title, text, goOn(context, checkout, payment), checkout);
}

function reasonOf({
  option,
  pixCode,
  failureCode = DeclineCode.PAYMENT_DECLINED,
}: CheckoutPayment): MessageKey {
  const isPix = option?.paymentMethod === PaymentMethod.PIX;
  const isRefused = isPix && pixCode === undefined && failureCode === DeclineCode.PAYMENT_DECLINED;
  return isRefused ? "pix_refused" : (wordsOf(DeclineCode).wordOf(failureCode) ?? "payment_declined");
}

/** Returns the page of an expired code that may have been paid: the answer is still unknown. */
export function overPage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const { linkId, session } = checkout;
  const base = `/pay/${linkId}/${session?.id ?? ""}`;
  const option = session?.payment?.option;
  const next = option && sameOption(checkout, option);
  const after = html`<div class="onward" data-watch="${base}" data-state="${pageState(checkout)}">
    ${action(`${base}/refresh`, t("check_now"))}
    ${next ? anew(checkout, next, { label: labelOf(context, next), kind: "plain", isSeen: true }) : linkTo(linkId, t("new_prices"), "plain")}
  </div>`;
  return statePage(context, "still", "over_title", t("over_text"), after, checkout);
}

/** Returns the ways to go on: the same option first, then Pix for a card that was declined, then all others. */
function goOn(context: PageContext, checkout: Checkout, { option, askedAgainAt }: CheckoutPayment): Html {
  const { t } = context;
  const { linkId, session } = checkout;
  const options = session?.options ?? [];
  const next = option && sameOption(checkout, option);
  const label = askedAgainAt || !next ? t("try_again") : labelOf(context, next);
  const pix = options.find(({ paymentMethod }) => paymentMethod === PaymentMethod.PIX);
  const isCard = option?.paymentMethod === PaymentMethod.CARD;
  const others = session?.isOpen
    ? html`<p><a href="/pay/${linkId}/${session.id}?choose=1">${t("change_option")}</a></p>`
    : html`<p><a href="/pay/${linkId}">${t("new_prices")}</a></p>`;
  return html`<div class="onward">
    ${next ? anew(checkout, next, { label, isSeen: true }) : ""}
    ${isCard && pix ? anew(checkout, pix, { label: pixLabel(context, "pix_instead", pix), kind: "plain", isSeen: false }) : ""}
    ${options.length > 1 || !next || !session?.isOpen ? others : ""}
  </div>`;
}

/** Returns what the session offers of the option's method and number of installments. */
function sameOption({ session }: Checkout, option: CheckoutOption): CheckoutOption | undefined {
  return session?.options.find(
    ({ paymentMethod, installments }) =>
      paymentMethod === option.paymentMethod && installments === option.installments,
  );
}

function labelOf(context: PageContext, option: CheckoutOption): string {
  const { t } = context;
  if (option.paymentMethod === PaymentMethod.CARD) return t("other_card");
  return option.paymentMethod === PaymentMethod.PIX ? pixLabel(context, "new_code", option) : t("pay_ted");
}

function pixLabel(
  { t, format }: PageContext,
  key: "new_code" | "pix_instead",
  option: CheckoutOption,
): string {
  return t(key, { amount: format.money(option.payerTotal, option.payerCurrency) });
}
