import { timestampMs } from "@bufbuild/protobuf/wkt";
import { html } from "hono/html";
import type { ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import type { Html } from "../../pages/html.ts";
import { submissionField } from "../fields/submission.ts";
import { consolePage } from "../frame.ts";
import {
  choiceField,
  inputField,
  passwordField,
  postForm,
  problemList,
  selectField,
  textField,
} from "../parts/form.ts";
import { copyable, facts, time } from "../parts/show.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { SCOPES } from "./scopes.ts";
import { messagesIn, type Translate } from "./messages.ts";

const SECTION = "/keys";
/** Choices of days until a new key expires; empty: never. */
export const EXPIRY_DAYS = ["", "30", "90", "365"] as const;

/** Choices of seconds for which a replaced key stays valid. */
export const OVERLAPS = [
  ["0", "overlap_none"],
  ["3600", "overlap_hour"],
  ["86400", "overlap_day"],
  ["604800", "overlap_week"],
] as const;

/** The submitted form of a new key. */
export interface TypedKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string;
  readonly addresses: string;
}

export function newPage(visit: Visit, problems: Problems, typed: TypedKey): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("new_title"),
    section: SECTION,
    trail: { path: SECTION, title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${postForm(
          visit,
          visit.path("/keys/new"),
          html`${submissionField()}
            ${inputField({
              name: "name",
              label: t("name"),
              help: t("name_help"),
              value: typed.name,
              maxLength: 200,
              problems,
            })}
            ${choiceField({
              kind: "checkbox",
              name: "scopes",
              label: t("scopes"),
              options: SCOPES.map((scope) => [scope, t(scope)]),
              chosen: typed.scopes,
              problems,
            })}
            ${selectField({
              name: "expires",
              label: t("expires"),
              options: EXPIRY_DAYS.map((days) => [days, days === "" ? t("never") : t("in_days", { days })]),
              value: typed.expires,
              problems,
            })}
            ${textField({
              name: "addresses",
              label: t("addresses"),
              help: t("addresses_help"),
              value: typed.addresses,
              problems,
            })}
            ${passwordField(visit, problems)}
            <div class="actions">
              <button class="primary">${t("create")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

/** Returns the only page that ever shows a plaintext key. */
export function madePage(visit: Visit, key: string): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("made_title"),
    section: SECTION,
    content: html`<div class="secret-once">
        <p role="status">${t("made_once")}</p>
        ${copyable(visit, "key", key, t("made_label"))}
      </div>
      <p><a class="button primary" href="${visit.path(SECTION)}">${t("made_done")}</a></p>`,
  });
}

/** Returns the page that asks for the password and for how long the old key stays valid. */
export function rotatePage(visit: Visit, key: ApiKey, problems: Problems, overlap: string): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("rotate_title"),
    section: SECTION,
    trail: { path: SECTION, title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${keyFacts(visit, t, key)}
        <p>${t("rotate_text")}</p>
        ${postForm(
          visit,
          visit.path(`/keys/${key.id}/rotate`),
          html`${submissionField()}
            ${selectField({
              name: "overlap",
              label: t("overlap"),
              options: OVERLAPS.map(([seconds, word]) => [seconds, t(word)]),
              value: overlap,
              problems,
            })}
            ${passwordField(visit, problems)}
            <div class="actions">
              <button class="primary">${t("rotate_yes")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

function keyFacts(visit: Visit, t: Translate, key: ApiKey): Html {
  return facts([
    [t("name"), key.name || t("no_name")],
    [t("key"), shortOf(key)],
    [t("scopes"), scopeList(t, key.scopes)],
    [t("addresses"), addressList(t, key.addresses)],
    [t("last_used"), time(visit, key.lastUsedAt, t("never"))],
    [t("expires"), time(visit, key.expiresAt, t("never"))],
  ]);
}

export function revokePage(visit: Visit, problems: Problems, key: ApiKey): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("revoke_title"),
    section: SECTION,
    trail: { path: SECTION, title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${keyFacts(visit, t, key)}
        <p>${t("revoke_text")}</p>
        ${postForm(
          visit,
          visit.path(`/keys/${key.id}/revoke`),
          html`${passwordField(visit, problems)}
            <div class="actions">
              <button class="danger">${t("revoke_yes")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
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
