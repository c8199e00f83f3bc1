import type { Checkout, CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../pages/html.ts";
import { otherThan } from "../pages/language.ts";
import type { PageContext } from "./page-context.ts";
import { isProductPrice, shownPrices } from "./shown-prices.ts";
import { brandBar, brandHead, merchantFacts, preview } from "./views/brand.ts";
import { summary, type Summarized } from "./views/summary.ts";

/** Returns a page in the common frame. */
export function page(
  context: PageContext,
  title: string,
  content: Html,
  checkout?: Checkout,
  summarized: Summarized = { option: checkout && chargedOption(checkout) },
): Html {
  const { t, language, nonces, assets, readAt } = context;
  const isTest = checkout?.mode === Mode.TEST;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${checkout && summarized.isFirst ? preview(context, checkout) : ""}
        <link rel="stylesheet" nonce="${nonces.style}" href="${assets.base.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${assets.style.path}" />
        ${brandHead(context, checkout)}
        <script defer nonce="${nonces.script}" src="${assets.script.path}"></script>
      </head>
      <body${readAt === undefined ? "" : html` data-read-at="${readAt}"`}>
        <a class="skip" href="#main">${t("skip")}</a>
        ${isTest ? banner(context, "test_mode") : ""} ${checkout?.isDemo ? banner(context, "demo") : ""}
        <header class="top">${brandBar(context, checkout)} ${languageSwitch(context)}</header>
        <main id="main" class="frame">
          ${checkout ? summary(context, checkout, summarized) : ""}
          <section class="panel" aria-labelledby="title">${content}</section>
        </main>
        ${footer(context, checkout, summarized)}
      </body>
    </html>`;
}

/** Returns the option of the session's payment, unless that has ended without money or can no longer be paid. */
function chargedOption(checkout: Checkout): CheckoutOption | undefined {
  const { status, option } = checkout.session?.payment ?? {};
  if (status === PaymentStatus.FAILED || status === PaymentStatus.EXPIRED) return undefined;
  return status === PaymentStatus.PENDING && isClosed(checkout) ? undefined : option;
}

/** Returns the one line of a page on which no real money moves. */
function banner({ t }: PageContext, name: "test_mode" | "demo"): Html {
  return html`<aside class="test" aria-label="${t(name)}">
    <strong>${t(name)}:</strong> ${t(`${name}_text`)}
  </aside>`;
}

function languageSwitch({ t, language, otherLanguage }: PageContext): Html {
  const other = otherThan(language);
  return html`<nav aria-label="${t("language")}">
    <a class="language" lang="${other}" hreflang="${other}" href="${otherLanguage}">${t("other_language")}</a>
  </nav>`;
}

/** Says that the page is secure, and who the merchant is. */
function footer(context: PageContext, checkout: Checkout | undefined, { option }: Summarized): Html {
  const facts = checkout ? merchantFacts(context, checkout) : [];
  return html`<footer class="foot">
    ${facts.length > 0 ? html`<p class="who">${facts.map(([label, value]) => html`<span>${label}: ${value}</span> `)}</p>` : ""}
    <p>
      ${lock()} ${context.t("footer")}
      ${checkout && isPriceShown(checkout, option) ? context.t("price_charged") : ""}
    </p>
  </footer>`;
}

/** Returns whether the amount above is what every offered way to pay charges: the option's, or the product's. */
function isPriceShown(checkout: Checkout, option: CheckoutOption | undefined): boolean {
  if (option) return true;
  if (isClosed(checkout)) return false;
  const options = shownPrices(checkout)?.options ?? [];
  return options.length > 0 && options.every((one) => isProductPrice(checkout, one));
}

function isClosed({ status }: Checkout): boolean {
  return status !== PaymentLinkStatus.ACTIVE;
}

function lock(): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    <path
      d="M7 10V7a5 5 0 0 1 10 0v3h1a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h1zm2 0h6V7a3 3 0 0 0-6 0v3z"
    />
  </svg>`;
}

/** Returns a page's heading. */
export function heading(text: string): Html {
  return html`<h1 id="title">${text}</h1>`;
}

/** Returns the heading of a page that says what became of the payer's last step: it has the focus. */
export function outcome(text: string): Html {
  return html`<h1 id="title" tabindex="-1" autofocus>${text}</h1>`;
}

/** Returns a form with one button, for a change. */
export function action(path: string, label: string, kind: "primary" | "plain" = "primary"): Html {
  return html`<form method="post" action="${path}"><button class="${kind}">${label}</button></form>`;
}
