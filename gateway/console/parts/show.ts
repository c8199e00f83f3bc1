import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { zonedAt } from "../../../contract/day.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Guest, Visit } from "../visit.ts";
import type { MessageKey } from "../messages.ts";

const SHORT_ID = 8;
const LONG_TEXT_MAX = 4000;
const COPY = html`<svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
  <path d="M5 1h9v11H5zM6 2v9h7V2zM2 4h2v1H3v9h7v-1h1v2H2z" fill-rule="evenodd" />
</svg>`;

/** The tone of a badge. */
export type Tone = "good" | "bad" | "warn" | "plain";

/** Returns a state in one word. Its colour carries no further information. */
export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Returns a time in São Paulo in the user's language, exact where a pointer rests, or `none` if there is no time. */
export function time({ format }: Guest, stamp: Timestamp | undefined, none = "—"): Html | string {
  if (!stamp) return none;
  const exact = zonedAt(timestampMs(stamp)).toString({ timeZoneName: "never", smallestUnit: "second" });
  const iso = timestampDate(stamp).toISOString();
  return html`<time datetime="${iso}" title="${exact}">${format.time(stamp)}</time>`;
}

/** Returns the end of an id of something without a page, with a button that copies all of it. */
export function shortCode(guest: Guest, id: string): Html {
  return html`<span class="nowrap"
    ><code class="id" title="${id}">…${id.slice(-SHORT_ID)}</code>
    ${copyButton(id, `${guest.t("copy")} ${id}`)}</span
  >`;
}

/** Returns the end of an id, as the link to its page, with a button that copies all of it. */
export function shortId(guest: Visit, id: string, path: string): Html {
  return html`<span class="nowrap"
    ><a class="id" href="${guest.path(path)}" title="${id}">…${id.slice(-SHORT_ID)}</a>
    ${copyButton(id, `${guest.t("copy")} ${id}`)}</span
  >`;
}

/** Returns the name of something as the link to its page, with the end of its id. */
export function namedId(guest: Visit, name: string, id: string, path: string): Html {
  return html`<span class="nowrap named"
    ><a class="cut" title="${name}" href="${guest.path(path)}">${name}</a>
    <small class="id quiet" title="${id}">…${id.slice(-SHORT_ID)}</small></span
  >`;
}

/** Returns a small button that copies a text. */
export function copyButton(text: string, label: string): Html {
  return html`<button
    type="button"
    class="copy"
    data-copy-text="${text}"
    data-copied="✓"
    aria-label="${label}"
    title="${label}"
    hidden
  >
    ${COPY}
  </button>`;
}

/** Returns a text with a button that copies it. */
export function copyable(guest: Guest, id: string, text: string, label: string): Html {
  return html`<div class="copyable">
    <label for="${id}">${label}</label>
    <input id="${id}" class="code" value="${text}" readonly />
    <button type="button" data-copy="${id}" data-copied="${guest.t("copied")}" hidden>
      ${guest.t("copy")}
    </button>
  </div>`;
}

/** Returns a list of names and values. */
export function facts(pairs: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
    ${pairs.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Returns a part of a page with a heading. */
export function card(title: string, content: Html): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** Returns a part of a page with a heading, which is folded in a pocket alone. */
export function foldedCard(title: string, content: Html): Html {
  return html`<details class="card" data-fold>
    <summary>${title}</summary>
    <h2>${title}</h2>
    ${content}
  </details>`;
}

/** Returns the notice of a completed action. */
export function notice(text: string): Html {
  return html`<p class="done" role="status">${text}</p>`;
}

/** Returns a note about missing accounts, which leads who may connect one to their page. */
export function accountNote(visit: Visit, text: string): Html {
  return visit.can("providers.write")
    ? html`<p class="note"><a href="${visit.path("/providers")}">${text}</a></p>`
    : html`<p class="note">${text}</p>`;
}

const METHODS: Readonly<Record<PaymentMethod, MessageKey>> = {
  [PaymentMethod.UNSPECIFIED]: "none",
  [PaymentMethod.PIX]: "pix",
  [PaymentMethod.CARD]: "card",
  [PaymentMethod.TED]: "ted",
};

export function methodText({ t }: Guest, method: PaymentMethod): string {
  return t(METHODS[method] ?? "none");
}

/** Returns the method in a word, for a row of a table. */
export function shortMethodText(guest: Guest, method: PaymentMethod): string {
  if (method === PaymentMethod.TED) return "TED";
  return method === PaymentMethod.CARD ? guest.t("card_short") : methodText(guest, method);
}

export function feeHandlingText({ t }: Guest, handling: FeeHandling): string {
  return t(handling === FeeHandling.PASS_THROUGH ? "pass_through" : "absorb");
}

const STATUSES: Readonly<Record<PaymentStatus, readonly [Tone, MessageKey]>> = {
  [PaymentStatus.UNSPECIFIED]: ["plain", "none"],
  [PaymentStatus.PENDING]: ["warn", "status_pending"],
  [PaymentStatus.PROCESSING]: ["warn", "status_processing"],
  [PaymentStatus.SUCCEEDED]: ["good", "status_succeeded"],
  [PaymentStatus.FAILED]: ["bad", "status_failed"],
  [PaymentStatus.EXPIRED]: ["plain", "status_expired"],
};

export function paymentBadge(guest: Guest, status: PaymentStatus): Html {
  return badge(STATUSES[status]?.[0] ?? "plain", statusText(guest, status));
}

function statusText({ t }: Guest, status: PaymentStatus): string {
  return t(STATUSES[status]?.[1] ?? "none");
}

/** Returns whether a payment's fee and net count: only of one that was paid. */
export function hasNet(status: PaymentStatus): boolean {
  return status === PaymentStatus.SUCCEEDED;
}

/** Returns a text of which a row shows as much as fits, and all where a pointer rests. */
export function cut(text: string, kind = ""): Html {
  return html`<bdi class="cut ${kind}" title="${text}">${text}</bdi>`;
}

/** Returns the beginning of a text of which a page may show dozens, with up to 120 KB each, and a note that files have all. */
export function longText({ t }: Pick<Guest, "t">, text: string): Html {
  const shown = text.slice(0, LONG_TEXT_MAX);
  return html`<pre tabindex="0"><bdi>${shown}</bdi></pre>
    ${shown === text ? "" : html`<p class="quiet">${t("long_text_cut")}</p>`}`;
}
