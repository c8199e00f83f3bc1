import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import type { PageContext } from "../page-context.ts";
import { shownPictures } from "../pictures.ts";

const DETAILS_SHOWN_MAX = 160;

/** What a page adds to the link's own summary. */
export interface Summarized {
  /** The option whose total is shown; absent: the product's amount is. */
  readonly option?: CheckoutOption | undefined;
  /** True: the page is a link's first one: it shows what is sold, and is what others see of a shared link. */
  readonly isFirst?: boolean;
}

/** Returns who is paid, for what and how much in one line, which opens to all that the link says of the product. */
export function summary(
  { t, format, origin }: PageContext,
  checkout: Checkout,
  { option, isFirst = false }: Summarized,
): Html {
  const { merchantName, description, details, productRef, amount, currency, expiresAt } = checkout;
  const images = shownPictures(checkout.productImages, origin);
  // The bar above has the name that payers know.
  const isNamed = (checkout.profile?.displayName ?? "") !== "";
  const total = option
    ? format.money(option.payerTotal, option.payerCurrency)
    : format.money(amount, currency);
  return html`<details class="summary" ${isFirst ? html` open` : ""}>
    <summary>
      <span class="what"
        ><span class="merchant${isNamed ? " hidden" : ""}"
          ><span class="hidden">${t("pay_to")} </span>${merchantName}</span
        >
        ${description ? html`<span class="product">${description}</span>` : ""}</span
      >
      <span class="sum"
        ><span class="${option ? "hidden" : "label"}">${t(sumLabel(checkout, option))} </span>${total}</span
      >
    </summary>
    ${
      images.length > 0
        ? html`<ul class="pictures">
            ${images.map((image) => html`<li><img src="${image}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" width="320" height="240" /></li>`)}
          </ul>`
        : ""
    }
    ${details ? detailsPart(t, details, isFirst) : ""}
    ${
      option
        ? html`<p class="quiet amount">${t("product_amount")}: ${format.money(amount, currency)}</p>`
        : ""
    }
    ${productRef ? html`<p class="quiet">${t("code")}: ${productRef}</p>` : ""}
    ${expiresAt && isGoingOn(checkout) ? html`<p class="quiet until">${t("link_expires")} ${format.time(expiresAt)}</p>` : ""}
  </details>`;
}

function sumLabel({ session }: Checkout, option: CheckoutOption | undefined): MessageKey {
  if (!option) return "product_amount";
  return session?.payment?.status === PaymentStatus.SUCCEEDED ? "total_paid" : "total_to_pay";
}

/** Returns what the merchant says of the product. A long text is folded on the first page, so that its button is in sight. */
function detailsPart(t: PageContext["t"], details: string, isFirst: boolean): Html {
  const text = html`<p class="details">${details}</p>`;
  if (!isFirst || details.length <= DETAILS_SHOWN_MAX) return text;
  return html`<details class="fold">
    <summary>${t("more_details")}</summary>
    ${text}
  </details>`;
}

/** Returns whether the link can still be paid: else its time is of no use to the payer. */
function isGoingOn({ status, session }: Checkout): boolean {
  return status === PaymentLinkStatus.ACTIVE && session?.payment?.status !== PaymentStatus.SUCCEEDED;
}
