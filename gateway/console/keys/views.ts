import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { badge, facts, notice, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { SCOPES } from "./scopes.ts";
import { messagesIn, type Translate } from "./messages.ts";

const SECTION = "/keys";

export function listPage(visit: Visit, keys: readonly ApiKey[]): Html {
  const t = messagesIn(visit.language);
  const mayWrite = visit.can("keys.write");
  const create = html`<a class="button primary" href="${visit.path("/keys/new")}">${t("create")}</a>`;
  const words = ["name", "key", "scopes", "addresses", "created", "last_used", "expires", "state"] as const;
  return consolePage(visit, {
    title: t("title"),
    section: SECTION,
    actions: mayWrite && keys.length > 0 ? create : "",
    content: html`${visit.query["done"] === "revoked" ? notice(t("revoked_done")) : ""}
      <p class="quiet">${t("lead", { mode: visit.t(`mode_${visit.mode}`) })}</p>
      ${table({
        caption: t("title"),
        columns: words.map((word) => ({ title: t(word) })),
        rows: keys.map((key) => [
          key.name || html`<span class="quiet">${t("no_name")}</span>`,
          shortOf(key),
          scopeList(t, key.scopes),
          addressList(t, key.addresses),
          time(visit, key.createdAt),
          time(visit, key.lastUsedAt, t("never")),
          time(visit, key.expiresAt, t("never")),
          stateOf(visit, t, key, mayWrite),
        ]),
        empty: mayWrite
          ? html`<p>${t("empty")}</p>
              <p>${create}</p>`
          : html`<p>${t("empty_read")}</p>`,
      })}`,
  });
}

export function keyFacts(visit: Visit, key: ApiKey): Html {
  const t = messagesIn(visit.language);
  return facts([
    [t("name"), key.name || t("no_name")],
    [t("key"), shortOf(key)],
    [t("scopes"), scopeList(t, key.scopes)],
    [t("addresses"), addressList(t, key.addresses)],
    [t("last_used"), time(visit, key.lastUsedAt, t("never"))],
    [t("expires"), time(visit, key.expiresAt, t("never"))],
  ]);
}

function stateOf(visit: Visit, t: Translate, key: ApiKey, mayWrite: boolean): Html {
  if (key.revokedAt) {
    return html`${badge("plain", t("revoked"))} ${time(visit, key.revokedAt)}`;
  }
  if (isExpired(key)) return badge("plain", t("expired"));
  const way = (word: "revoke" | "rotate"): Html =>
    html`<a
      class="button"
      href="${visit.path(`/keys/${key.id}/${word}`)}"
      aria-label="${t(word)} ${key.name || shortText(key)}"
      >${t(word)}</a
    >`;
  if (key.replacedBy) return html`${badge("plain", t("replaced"))} ${mayWrite ? way("revoke") : ""}`;
  return html`${badge("good", t("active"))} ${mayWrite ? html`${way("rotate")} ${way("revoke")}` : ""}`;
}

export function isExpired({ expiresAt }: ApiKey): boolean {
  return expiresAt !== undefined && timestampMs(expiresAt) <= Date.now();
}

function addressList(t: Translate, addresses: readonly string[]): Html {
  if (addresses.length === 0) return html`<span class="quiet">${t("any_address")}</span>`;
  return html`<ul class="bare">
    ${addresses.map((address) => html`<li><code class="id">${address}</code></li>`)}
  </ul>`;
}

function scopeList(t: Translate, scopes: readonly string[]): Html {
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  return html`<ul class="bare">
    ${known.map((scope) => html`<li>${t(scope)}</li>`)}
  </ul>`;
}

function shortOf(key: ApiKey): Html {
  return html`<code class="id">${shortText(key)}</code>`;
}

function shortText({ prefix, lastFour }: ApiKey): string {
  return `${prefix}…${lastFour}`;
}
