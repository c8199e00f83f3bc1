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
import { badge, copyable, facts, notice, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { SCOPES } from "./scopes.ts";
import { sayIn, type Say } from "./words.ts";

const SECTION = "/keys";
/** Days after which a new key expires, as the form offers them; empty: never. */
export const EXPIRY_DAYS = ["", "30", "90", "365"] as const;

/** For how long a key that is replaced stays good, in seconds. */
export const OVERLAPS = [
  ["0", "overlap_none"],
  ["3600", "overlap_hour"],
  ["86400", "overlap_day"],
  ["604800", "overlap_week"],
] as const;

export function listPage(visit: Visit, keys: readonly ApiKey[]): Html {
  const say = sayIn(visit.language);
  const mayWrite = visit.can("keys.write");
  const create = html`<a class="button primary" href="${visit.path("/keys/new")}">${say("create")}</a>`;
  const words = ["name", "key", "scopes", "addresses", "created", "last_used", "expires", "state"] as const;
  return consolePage(visit, {
    title: say("title"),
    section: SECTION,
    actions: mayWrite && keys.length > 0 ? create : "",
    content: html`${visit.query["done"] === "revoked" ? notice(say("revoked_done")) : ""}
      <p class="quiet">${say("lead", { mode: visit.say(`mode_${visit.mode}`) })}</p>
      ${table({
        caption: say("title"),
        columns: words.map((word) => ({ title: say(word) })),
        rows: keys.map((key) => [
          key.name || html`<span class="quiet">${say("no_name")}</span>`,
          shortOf(key),
          scopeList(say, key.scopes),
          addressList(say, key.addresses),
          time(visit, key.createdAt),
          time(visit, key.lastUsedAt, say("never")),
          time(visit, key.expiresAt, say("never")),
          stateOf(visit, say, key, mayWrite),
        ]),
        empty: mayWrite
          ? html`<p>${say("empty")}</p>
              <p>${create}</p>`
          : html`<p>${say("empty_read")}</p>`,
      })}`,
  });
}

/** What was typed into the form of a new key. */
export interface TypedKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string;
  readonly addresses: string;
}

export function newPage(visit: Visit, problems: Problems, typed: TypedKey): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: say("new_title"),
    section: SECTION,
    trail: { path: SECTION, title: say("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${postForm(
          visit,
          visit.path("/keys/new"),
          html`${submissionField()}
            ${inputField({
              name: "name",
              label: say("name"),
              help: say("name_help"),
              value: typed.name,
              maxLength: 200,
              problems,
            })}
            ${choiceField({
              kind: "checkbox",
              name: "scopes",
              label: say("scopes"),
              options: SCOPES.map((scope) => [scope, say(scope)]),
              chosen: typed.scopes,
              problems,
            })}
            ${selectField({
              name: "expires",
              label: say("expires"),
              options: EXPIRY_DAYS.map((days) => [
                days,
                days === "" ? say("never") : say("in_days", { days }),
              ]),
              value: typed.expires,
              problems,
            })}
            ${textField({
              name: "addresses",
              label: say("addresses"),
              help: say("addresses_help"),
              value: typed.addresses,
              problems,
            })}
            ${passwordField(visit, problems)}
            <div class="actions">
              <button class="primary">${say("create")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.say("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

/** The one page that a plaintext key is ever on. */
export function madePage(visit: Visit, key: string): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: say("made_title"),
    section: SECTION,
    content: html`<div class="secret-once">
        <p role="status">${say("made_once")}</p>
        ${copyable(visit, "key", key, say("made_label"))}
      </div>
      <p><a class="button primary" href="${visit.path(SECTION)}">${say("made_done")}</a></p>`,
  });
}

/** Asks for the password and how long the former key is still needed. */
export function rotatePage(visit: Visit, key: ApiKey, problems: Problems, overlap: string): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: say("rotate_title"),
    section: SECTION,
    trail: { path: SECTION, title: say("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${keyFacts(visit, say, key)}
        <p>${say("rotate_text")}</p>
        ${postForm(
          visit,
          visit.path(`/keys/${key.id}/rotate`),
          html`${submissionField()}
            ${selectField({
              name: "overlap",
              label: say("overlap"),
              options: OVERLAPS.map(([seconds, word]) => [seconds, say(word)]),
              value: overlap,
              problems,
            })}
            ${passwordField(visit, problems)}
            <div class="actions">
              <button class="primary">${say("rotate_yes")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.say("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

function keyFacts(visit: Visit, say: Say, key: ApiKey): Html {
  return facts([
    [say("name"), key.name || say("no_name")],
    [say("key"), shortOf(key)],
    [say("scopes"), scopeList(say, key.scopes)],
    [say("addresses"), addressList(say, key.addresses)],
    [say("last_used"), time(visit, key.lastUsedAt, say("never"))],
    [say("expires"), time(visit, key.expiresAt, say("never"))],
  ]);
}

export function revokePage(visit: Visit, problems: Problems, key: ApiKey): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: say("revoke_title"),
    section: SECTION,
    trail: { path: SECTION, title: say("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${keyFacts(visit, say, key)}
        <p>${say("revoke_text")}</p>
        ${postForm(
          visit,
          visit.path(`/keys/${key.id}/revoke`),
          html`${passwordField(visit, problems)}
            <div class="actions">
              <button class="danger">${say("revoke_yes")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.say("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

function stateOf(visit: Visit, say: Say, key: ApiKey, mayWrite: boolean): Html {
  if (key.revokedAt) {
    return html`${badge("plain", say("revoked"))} ${time(visit, key.revokedAt)}`;
  }
  if (isExpired(key)) return badge("plain", say("expired"));
  const way = (word: "revoke" | "rotate"): Html =>
    html`<a
      class="button"
      href="${visit.path(`/keys/${key.id}/${word}`)}"
      aria-label="${say(word)} ${key.name || shortText(key)}"
      >${say(word)}</a
    >`;
  if (key.replacedBy) return html`${badge("plain", say("replaced"))} ${mayWrite ? way("revoke") : ""}`;
  return html`${badge("good", say("active"))} ${mayWrite ? html`${way("rotate")} ${way("revoke")}` : ""}`;
}

export function isExpired({ expiresAt }: ApiKey): boolean {
  return expiresAt !== undefined && timestampMs(expiresAt) <= Date.now();
}

function addressList(say: Say, addresses: readonly string[]): Html {
  if (addresses.length === 0) return html`<span class="quiet">${say("any_address")}</span>`;
  return html`<ul class="bare">
    ${addresses.map((address) => html`<li><code class="id">${address}</code></li>`)}
  </ul>`;
}

function scopeList(say: Say, scopes: readonly string[]): Html {
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  return html`<ul class="bare">
    ${known.map((scope) => html`<li>${say(scope)}</li>`)}
  </ul>`;
}

function shortOf(key: ApiKey): Html {
  return html`<code class="id">${shortText(key)}</code>`;
}

function shortText({ prefix, lastFour }: ApiKey): string {
  return `${prefix}…${lastFour}`;
}
