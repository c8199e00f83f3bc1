import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BASE_STYLE, ICON, readAsset } from "../pages/assets.ts";
import { html, type Html } from "../pages/html.ts";
import { otherThan } from "../pages/language.ts";
import { hiddenToken } from "./parts/form.ts";
import { accountNote } from "./parts/show.ts";
import type { Permission } from "../../contract/roles.ts";
import type { Guest, Visit } from "./visit.ts";
import type { MessageKey } from "./messages.ts";

const FOLDER = join(import.meta.dirname, "assets");
const HTMX = fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js"));
const JAVASCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

export const ASSETS = {
  base: readAsset(BASE_STYLE, "/console/assets", CSS),
  style: readAsset(join(FOLDER, "console.css"), "/console/assets", CSS),
  pocket: readAsset(join(FOLDER, "pocket.css"), "/console/assets", CSS),
  icon: readAsset(ICON, "/console/assets", "image/svg+xml"),
  htmx: readAsset(HTMX, "/console/assets", JAVASCRIPT),
  script: readAsset(join(FOLDER, "console.js"), "/console/assets", JAVASCRIPT),
};

/** A section of the console's navigation. */
interface Section {
  readonly word: MessageKey;
  readonly path: string;
  readonly permission: Permission;
}

/** The sections, in the order of the navigation. */
const SECTIONS: readonly Section[] = [
  { word: "nav_home", path: "", permission: "payments.read" },
  { word: "nav_links", path: "/links", permission: "links.read" },
  { word: "nav_quotes", path: "/quotes", permission: "links.read" },
  { word: "nav_payments", path: "/payments", permission: "payments.read" },
  { word: "nav_unresolved", path: "/payments/exceptions", permission: "payments.read" },
  { word: "nav_close", path: "/close", permission: "payments.read" },
  { word: "nav_reconciliation", path: "/reconciliation", permission: "reconciliation.read" },
  { word: "nav_media", path: "/media", permission: "media.write" },
  { word: "nav_webhooks", path: "/webhooks", permission: "webhooks.read" },
  { word: "nav_keys", path: "/keys", permission: "keys.read" },
  { word: "nav_providers", path: "/providers", permission: "providers.read" },
  { word: "nav_users", path: "/people", permission: "users.read" },
  { word: "nav_settings", path: "/settings", permission: "settings.read" },
  { word: "nav_audit", path: "/audit", permission: "audit.read" },
];

const PERSON = html`<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
  <path
    d="M12 12a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm0 2c-4.4 0-8 2.5-8 5.5V21h16v-1.5c0-3-3.6-5.5-8-5.5Z"
  />
</svg>`;
const LINES = html`<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
  <path d="M3 5h18v2.5H3Zm0 5.75h18v2.5H3Zm0 5.75h18V19H3Z" />
</svg>`;

/** The sections whose pages make links. */
const MAKING_LINKS: ReadonlySet<string> = new Set(["/links", "/quotes"]);

/** Returns the name of a section in the navigation. */
export function sectionTitle({ t }: Guest, path: string): string {
  const section = SECTIONS.find((candidate) => candidate.path === path);
  return section ? t(section.word) : "";
}

/** The parts of a page apart from its frame. */
export interface PageParts {
  /** The page's name, which is also its first heading. */
  readonly title: string;
  /** The page's section, such as "/links". */
  readonly section: string;
  /** Links and buttons beside the heading. */
  readonly actions?: Html | "";
  /** The link back, above the heading. */
  readonly trail?: { readonly path: string; readonly title: string };
  readonly content: Html;
}

/** Returns a page for a signed-in user. */
export function consolePage(visit: Visit, { title, section, actions, trail, content }: PageParts): Html {
  const { t, mode, session } = visit;
  const name = session.user?.name || session.user?.email || t("nav_account");
  return document(
    visit,
    `${title} · ${session.membership?.tenantName ?? ""}`,
    `mode-${mode}`,
    html`<header class="top">
        <a class="brand" href="${visit.path("")}" translate="no">paylink</a>
        ${tenantSwitch(visit)} ${modeSwitch(visit, section)}
        <details class="own" data-fold>
          <summary>${PERSON} <span class="hidden">${t("nav_account")}</span></summary>
          <nav class="account" aria-label="${t("nav_account")}">
            ${languageLink(visit)}
            <a class="who" href="${visit.path("/account")}" title="${name}"
              >${name} <small>${t(`role_${visit.role}`)}</small></a
            >
            <form method="post" action="/console/signout">
              ${hiddenToken(visit)}<button class="link">${t("sign_out")}</button>
            </form>
          </nav>
        </details>
      </header>
      ${mode === "test" ? html`<aside class="test" aria-label="${t("mode")}">${t("test_notice")}</aside>` : ""}
      ${visit.isDemo ? html`<aside class="test" aria-label="${t("demo")}">${t("demo_notice")}</aside>` : ""}
      <div class="body">
        ${navigation(visit, section)}
        <main id="main" tabindex="-1">
          ${trail ? html`<p class="trail"><a href="${visit.path(trail.path)}">← ${trail.title}</a></p>` : ""}
          <div class="heading">
            <h1>${title}</h1>
            ${actions ? html`<div class="actions">${actions}</div>` : ""}
          </div>
          ${unconnected(visit, section)} ${content}
        </main>
      </div>
      <footer class="foot"><p>${t("zone")}</p></footer>`,
  );
}

/** Returns the notice that links of this environment cannot be paid yet, on the pages that make them. */
function unconnected(visit: Visit, section: string): Html | "" {
  if (visit.mode === "test" || visit.isConnected || !MAKING_LINKS.has(section)) return "";
  return accountNote(visit, visit.t("unconnected"));
}

/** Returns a page for a user who is not signed in. */
export function guestPage(guest: Guest, title: string, content: Html): Html {
  return document(
    guest,
    `${title} · paylink`,
    "guest",
    html`<header class="top">
        <p class="brand" translate="no">paylink</p>
        <nav class="account" aria-label="${guest.t("language")}">${languageLink(guest)}</nav>
      </header>
      <main id="main" tabindex="-1">
        <section class="card narrow">
          <h1>${title}</h1>
          ${content}
        </section>
      </main>`,
  );
}

function document(guest: Guest, title: string, kind: string, body: Html): Html {
  const { language, nonces, t } = guest;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="theme-color" content="#0d3b32" />
        <meta name="htmx-config" content='{"history":false,"includeIndicatorCSS":false}' />
        <title>${title}</title>
        <link rel="icon" href="${ASSETS.icon.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${ASSETS.base.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${ASSETS.style.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${ASSETS.pocket.path}" />
        <script defer nonce="${nonces.script}" src="${ASSETS.htmx.path}"></script>
        <script defer nonce="${nonces.script}" src="${ASSETS.script.path}"></script>
      </head>
      <body class="${kind}">
        <a class="skip" href="#main">${t("skip")}</a>
        ${body}
      </body>
    </html>`;
}

function navigation(visit: Visit, current: string): Html {
  const { t } = visit;
  return html`<nav class="sections" aria-label="${t("navigation")}">
    <details data-fold>
      <summary>${LINES} <span class="hidden">${t("menu")}</span></summary>
      <ul>
        ${SECTIONS.filter(({ permission }) => visit.can(permission)).map(
          ({ word, path }) =>
            html`<li>
              <a href="${visit.path(path)}" ${path === current ? html` aria-current="page"` : ""}
                >${t(word)}</a
              >
            </li>`,
        )}
      </ul>
    </details>
  </nav>`;
}

function languageLink({ language, t, otherLanguage }: Guest): Html {
  const other = otherThan(language);
  return html`<a class="language" lang="${other}" hreflang="${other}" href="${otherLanguage}"
    >${t("other_language")}</a
  >`;
}

/** Returns the links to both environments, with the present one marked. The other link leads to the same section. */
function modeSwitch({ t, mode }: Visit, section: string): Html {
  const link = (name: "test" | "live"): Html =>
    html`<a href="/console/${name}${section}" ${name === mode ? html` aria-current="true"` : ""}
      >${t(`mode_${name}`)}</a
    >`;
  return html`<nav class="modes" aria-label="${t("mode")}">${link("test")}${link("live")}</nav>`;
}

function tenantSwitch(visit: Visit): Html {
  const { session, t } = visit;
  const { memberships, membership } = session;
  if (memberships.length < 2)
    return html`<p class="tenant" title="${membership?.tenantName ?? ""}">
      ${membership?.tenantName ?? ""}
    </p>`;
  return html`<form class="tenant" method="post" action="${visit.path("/tenant")}">
    ${hiddenToken(visit)}
    <label class="hidden" for="tenant">${t("tenant")}</label>
    <select id="tenant" name="tenant" data-submit>
      ${memberships.map(
        ({ tenantId, tenantName }) =>
          html`<option value="${tenantId}" ${tenantId === membership?.tenantId ? html` selected` : ""}>
            ${tenantName}
          </option>`,
      )}
    </select>
    <noscript><button>OK</button></noscript>
  </form>`;
}
