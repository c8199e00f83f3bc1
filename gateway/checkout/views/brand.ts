import type { Checkout } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import { html, type Html } from "../../pages/html.ts";
import type { PageContext } from "../page-context.ts";
import { shownPictures } from "../pictures.ts";
import { webAddress } from "../../../contract/web-address.ts";

const OWN_COLOR = "#0d3b32";
// What the core accepts: a text of another form never becomes a style.
const COLOR = /^#[0-9a-f]{6}$/;

function logoOf({ origin }: PageContext, checkout: Checkout | undefined): string | undefined {
  return shownPictures([checkout?.profile?.logoUrl ?? ""], origin)[0];
}

/** Returns what the head has of a merchant: its colour and its icon. */
export function brandHead(context: PageContext, checkout: Checkout | undefined): Html {
  const { assets, nonces } = context;
  const { color = "" } = checkout?.profile ?? {};
  const own = COLOR.test(color) ? color : undefined;
  return html`<meta name="theme-color" content="${own ?? OWN_COLOR}" />
    <link rel="icon" href="${logoOf(context, checkout) ?? assets.icon.path}" />
    ${
      own
        ? html`<style nonce="${nonces.style}">
            :root {
              --deep: ${own};
              --accent: ${own};
              --accent-soft: #f0f2f1;
            }
          </style>`
        : ""
    }`;
}

/** Returns the merchant's logo and name; the service's own where the merchant has no profile. */
export function brandBar(context: PageContext, checkout: Checkout | undefined): Html {
  const logo = logoOf(context, checkout);
  const name = checkout?.profile?.displayName;
  return html`<p class="brand" translate="no">
    ${logo ? html`<img src="${logo}" alt="" width="32" height="32" referrerpolicy="no-referrer" />` : ""}${name || "paylink"}
  </p>`;
}

/** Returns what others show of a shared link: product, price and picture, and nothing that the page does not show. */
export function preview(context: PageContext, checkout: Checkout): Html {
  const { t, format, origin } = context;
  const { merchantName, description, amount, currency, linkId } = checkout;
  const price = format.money(amount, currency);
  const [picture] = [...shownPictures(checkout.productImages, origin), logoOf(context, checkout)];
  return html`<meta property="og:type" content="website" />
    <meta property="og:title" content="${description ?? merchantName}" />
    <meta property="og:description" content="${price} · ${t("pay_to")} ${merchantName}" />
    <meta property="og:site_name" content="${merchantName}" />
    <meta property="og:url" content="${origin}/pay/${linkId}" />
    ${picture ? html`<meta property="og:image" content="${picture}" />` : ""}
    <meta property="product:price:amount" content="${decimalText(amount, MINOR_DIGITS)}" />
    <meta property="product:price:currency" content="${currency}" />`;
}

/** Returns how a payer knows and reaches the merchant: tax id, contact and site, as far as they are given. */
export function merchantFacts(
  { t }: PageContext,
  { profile }: Checkout,
): readonly (readonly [string, Html])[] {
  const { taxId = "", contact = "", site = "" } = profile ?? {};
  const rows: (readonly [string, string, Html])[] = [
    [t(taxId.length === 11 ? "cpf" : "cnpj"), taxId, html`${taxIdText(taxId)}`],
    [t("contact"), contact, html`<a href="${contactAddress(contact)}">${contact}</a>`],
    [
      t("site"),
      site,
      html`<a href="${site}" rel="noopener noreferrer">${webAddress(site)?.host ?? site}</a>`,
    ],
  ];
  return rows.filter(([, text]) => text !== "").map(([label, , shown]) => [label, shown]);
}

/** Returns a CPF or CNPJ with its marks. */
function taxIdText(id: string): string {
  return id.length === 11
    ? id.replace(/^(.{3})(.{3})(.{3})(.{2})$/, "$1.$2.$3-$4")
    : id.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, "$1.$2.$3/$4-$5");
}

function contactAddress(contact: string): string {
  return contact.includes("@") ? `mailto:${contact}` : `tel:${contact.replaceAll(/[^\d+]/g, "")}`;
}
