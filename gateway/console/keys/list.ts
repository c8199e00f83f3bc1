import type { ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { bothWays, pageOfWhole } from "../list/whole.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, cut, time } from "../parts/show.ts";
import { MODES, type Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";
import { mayGive } from "./scopes.ts";
import { addressList, isExpired, scopeList, shortOf, shortText } from "./views.ts";

/** The API keys of the page's environment. */
export const keysList = list({
  path: "/keys",
  permission: "keys.read",
  messages: messagesIn,
  title: "title",
  lead: "lead",
  create: { path: "/keys/new", permission: "keys.write", label: "create" },
  above: ({ visit, t }) => doneNotice(visit, t, { revoked: "revoked_done" }),
  sorts: { created: ["created_desc", "created_asc"], last_used: ["used_desc", "used_asc"] },
  fetch: async (visit, asked) =>
    pageOfWhole(await keysOf(visit), asked, {
      ...bothWays<ApiKey>("created", ({ createdAt }) => createdAt?.seconds),
      ...bothWays<ApiKey>("used", ({ lastUsedAt }) => lastUsedAt?.seconds),
    }),
  total: ({ rowCount }) => BigInt(rowCount),
  columns: ({ visit, t }) => ({
    name: (key) => (key.name ? cut(key.name) : html`<span class="quiet">${t("no_name")}</span>`),
    key: (key) => shortOf(key),
    scopes: (key) =>
      html`<details>
        <summary>${t("scopes_shown")}</summary>
        ${scopeList(t, key.scopes)}
      </details>`,
    addresses: (key) => addressList(t, key.addresses),
    created: (key) => time(visit, key.createdAt),
    last_used: (key) => time(visit, key.lastUsedAt, t("never")),
    expires: (key) => time(visit, key.expiresAt, t("no_end")),
    state: (key) => stateOf(visit, t, key),
  }),
  empty: ({ mayCreate }) => [mayCreate ? "empty" : "empty_read"],
});

/** Returns the keys of this environment, latest first. */
export async function keysOf({ core, tenantId, mode, as }: Visit): Promise<ApiKey[]> {
  const { apiKeys } = await core.identity.listApiKeys({ tenantId }, as);
  return apiKeys.filter((key) => key.mode === MODES[mode]).toReversed();
}

function stateOf(visit: Visit, t: Translate, key: ApiKey): Html {
  if (key.revokedAt) return html`${badge("plain", t("revoked"))} ${time(visit, key.revokedAt)}`;
  if (isExpired(key)) return badge("plain", t("expired"));
  const action = (word: "revoke" | "rotate"): Html | "" =>
    visit.can("keys.write")
      ? html`<a
          class="button"
          href="${visit.path(`/keys/${key.id}/${word}`)}"
          aria-label="${t(word)} ${key.name || shortText(key)}"
          >${t(word)}</a
        >`
      : "";
  if (key.replacedBy) return html`${badge("plain", t("replaced"))} ${action("revoke")}`;
  const rotate = mayGive(visit, key.scopes) ? action("rotate") : "";
  return html`${badge("good", t("active"))} ${rotate} ${action("revoke")}`;
}
