import type { Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Asset } from "../pages/assets.ts";
import type { Format } from "../pages/format.ts";
import { html, type Html } from "../pages/html.ts";
import { otherThan, type Language } from "../pages/language.ts";
import type { Translate } from "./messages.ts";

/** The context of every page. */
export interface PageContext {
  readonly language: Language;
  readonly t: Translate;
  readonly format: Format;
  readonly nonces: { readonly script: string; readonly style: string };
  /** The origin of this request: "https://pay.example.com". */
  readonly origin: string;
  /** This page's address in the other language. */
  readonly otherLanguage: string;
  readonly assets: Readonly<Record<"base" | "style" | "script" | "cardScript", Asset>>;
  /** Lets this page's scripts send requests to one more address. */
  readonly connectTo: (address: string) => void;
}

/** Returns a page in the common frame. */
export function page(context: PageContext, title: string, content: Html, checkout?: Checkout): Html {
  const { t, language, nonces, assets } = context;
  const isTest = checkout?.mode === Mode.TEST;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="theme-color" content="#0d3b32" />
        <title>${title}</title>
        <link rel="stylesheet" nonce="${nonces.style}" href="${assets.base.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${assets.style.path}" />
        <script defer nonce="${nonces.script}" src="${assets.script.path}"></script>
      </head>
      <body>
        <a class="skip" href="#main">${t("skip")}</a>
        ${isTest ? testBanner(context) : ""} ${checkout?.isDemo ? demoBanner(context) : ""}
        <header class="top">
          <p class="brand" translate="no">paylink</p>
          ${languageSwitch(context)}
        </header>
        <main id="main" class="frame">
          ${checkout ? summary(context, checkout) : ""}
          <section class="panel" aria-labelledby="title">${content}</section>
        </main>
        <footer class="foot"><p>${lock()} ${t("footer")}</p></footer>
      </body>
    </html>`;
}

function testBanner({ t }: PageContext): Html {
  return html`<aside class="test" aria-label="${t("test_mode")}">
    <strong>${t("test_mode")}.</strong> ${t("test_mode_text")}
  </aside>`;
}

function demoBanner({ t }: PageContext): Html {
  return html`<aside class="test" aria-label="${t("demo")}">
    <strong>${t("demo")}.</strong> ${t("demo_text")}
  </aside>`;
}

function languageSwitch({ t, language, otherLanguage }: PageContext): Html {
  const other = otherThan(language);
  return html`<nav aria-label="${t("language")}">
    <a class="language" lang="${other}" hreflang="${other}" href="${otherLanguage}">${t("other_language")}</a>
  </nav>`;
}

/** Returns the section with the product and the merchant. */
function summary({ t, format, origin }: PageContext, checkout: Checkout): Html {
  const { merchantName, description, details, productRef, amount, currency, expiresAt } = checkout;
  const images = checkout.productImages.filter((image) => isShown(image, origin));
  return html`<section class="summary" aria-label="${t("product")}">
    <p class="merchant">${t("pay_to")} <strong>${merchantName}</strong></p>
    ${
      images.length > 0
        ? html`<ul class="pictures">
            ${images.map((image) => html`<li><img src="${image}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" width="320" height="240" /></li>`)}
          </ul>`
        : ""
    }
    ${description ? html`<p class="product">${description}</p>` : ""}
    <dl class="amounts">
      <div>
        <dt>${t("product_amount")}</dt>
        <dd class="big">${format.money(amount, currency)}</dd>
      </div>
    </dl>
    ${details ? html`<p class="details">${details}</p>` : ""}
    ${productRef ? html`<p class="quiet">${t("code")}: ${productRef}</p>` : ""}
    ${expiresAt ? html`<p class="quiet">${t("link_expires")} ${format.time(expiresAt)}</p>` : ""}
  </section>`;
}

/** Over http, shows only pictures of this service, as on a developer's machine. */
function isShown(image: string, origin: string): boolean {
  const url = URL.parse(image);
  return url?.protocol === "https:" || (url?.origin === origin && url.pathname.startsWith("/media/"));
}

function lock(): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    <path
      d="M7 10V7a5 5 0 0 1 10 0v3h1a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h1zm2 0h6V7a3 3 0 0 0-6 0v3z"
    />
  </svg>`;
}

/** Returns a page's heading. The script moves the focus to it after a change. */
export function heading(text: string): Html {
  return html`<h1 id="title" tabindex="-1">${text}</h1>`;
}

/** Returns a form with one button, for a change. */
export function action(path: string, label: string, kind: "primary" | "plain" = "primary"): Html {
  return html`<form method="post" action="${path}"><button class="${kind}">${label}</button></form>`;
}
