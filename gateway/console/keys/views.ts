import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { facts, time } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { SCOPES } from "./scopes.ts";
import { messagesIn, type Translate } from "./messages.ts";

export function keyFacts(visit: Visit, key: ApiKey): Html {
  const t = messagesIn(visit.language);
  return facts([
    [t("name"), key.name || t("no_name")],
    [t("key"), shortOf(key)],
    [t("scopes"), scopeList(t, key.scopes)],
    [t("addresses"), addressList(t, key.addresses)],
    [t("last_used"), time(visit, key.lastUsedAt, t("never"))],
    [t("expires"), time(visit, key.expiresAt, t("no_end"))],
  ]);
}

export function isExpired({ expiresAt }: ApiKey): boolean {
  return expiresAt !== undefined && timestampMs(expiresAt) <= Date.now();
}

export function addressList(t: Translate, addresses: readonly string[]): Html {
  if (addresses.length === 0) return html`<span class="quiet">${t("any_address")}</span>`;
  return html`<ul class="bare">
    ${addresses.map((address) => html`<li><code class="id">${address}</code></li>`)}
  </ul>`;
}

export function scopeList(t: Translate, scopes: readonly string[]): Html {
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  return html`<ul class="bare">
    ${known.map((scope) => html`<li>${t(scope)}</li>`)}
  </ul>`;
}

export function shortOf(key: ApiKey): Html {
  return html`<code class="id">${shortText(key)}</code>`;
}

export function shortText({ prefix, lastFour }: ApiKey): string {
  return `${prefix}…${lastFour}`;
}
