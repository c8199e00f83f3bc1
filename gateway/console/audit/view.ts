import {
  ListAuditEntriesRequestSchema,
  type AuditEntry,
} from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { Filters, type Values } from "../list/filters.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import type { View } from "../list/parts.ts";
import { badge, cut, longText, shortCode, time } from "../parts/show.ts";
import { MODES, type Visit } from "../visit.ts";
import { actionOptions, actionText } from "./actions.ts";
import { kindOf, KINDS } from "./actor.ts";
import { messagesIn, type Translate } from "./messages.ts";

const PAGE = 20;

/** The filters of the audit log, as texts from the address. Empty: no filter. */
export type AuditFilter = Values<"from" | "to" | "actor" | "action">;

const filters = new Filters(ListAuditEntriesRequestSchema, messagesIn, {
  from: { kind: "day", label: "from", refused: "bad_days" },
  to: { kind: "day", label: "to", refused: "bad_days" },
  actor: {
    kind: "choice",
    label: "actor",
    all: "anybody",
    // An actor chosen in the table.
    other: "only_this",
    options: (_, t) => KINDS.all.map((kind) => [kind, t(`kind_${kind}`)]),
  },
  action: {
    kind: "choice",
    label: "action",
    all: "anything",
    options: ({ language }) => actionOptions(language),
  },
});

/** Returns the filters in the address. */
export function filterOf({ query }: Visit): AuditFilter {
  return filters.read((name) => query[name]);
}

/** Returns the filter as the core's request. */
export function requestOf(visit: Visit, filter: AuditFilter) {
  return { ...filters.request(filter), tenantId: visit.tenantId, mode: MODES[visit.mode] };
}

/** The entries of the audit log, latest first. */
export const auditList = list({
  path: "/audit",
  permission: "audit.read",
  messages: messagesIn,
  title: "title",
  lead: "lead",
  filters,
  sorts: { when: ["created_desc", "created_asc"] },
  fetch: async (visit, { values, cursor, order }) => {
    const asked = { limit: PAGE, isOldestFirst: order === "created_asc", isCounted: true };
    const request = { ...requestOf(visit, values), ...cursor, ...asked };
    const { entries, hasMore, entryCount } = await visit.core.auditLog.listAuditEntries(request, visit.as);
    return { rows: entries, next: hasMore ? entries.at(-1)?.id : undefined, entryCount };
  },
  total: ({ entryCount = 0 }) => BigInt(entryCount),
  totalMax: COUNTED_MAX,
  actions: ({ t, address }) =>
    html`<a class="button" href="${address({}, "/audit/export.csv")}" download>${t("csv")}</a>
      <a class="button" href="${address({}, "/audit/export.jsonl")}" download>${t("jsonl")}</a>`,
  columns: (view) => {
    const { visit, t } = view;
    return {
      when: ({ createdAt }) => time(visit, createdAt),
      actor: (entry) => actorCell(view, t, entry),
      action: (entry) => actionCell(visit, t, entry),
      object: ({ objectId }) => (objectId === "" ? "—" : shortCode(visit, objectId)),
      origin: ({ address }) => address || "—",
      details: (entry) => detailsCell(visit, t, entry),
    };
  },
  isOfLines: true,
  pocket: ["actor", "action"],
  empty: () => ["empty"],
});

function actorCell({ address }: Pick<View<string, never>, "address">, t: Translate, entry: AuditEntry): Html {
  const kind = kindOf(entry);
  const actor = entry.actorId || kind;
  const name = entry.actorName || entry.actorId || t(`kind_${kind}`);
  return html`<a class="cut" href="${address({ actor })}" title="${t("only_this", { name })}">${name}</a>`;
}

function actionCell(visit: Visit, t: Translate, { action, mode }: AuditEntry): Html {
  const text = actionText(visit.language, action);
  if (action === "SignInRefused") return badge("warn", text);
  if (mode !== undefined) return cut(text, "action");
  return html`<span class="cut action" title="${text}. ${t("both_modes")}"
    >${text} <small class="quiet">(${t("both")})</small></span
  >`;
}

function detailsCell(visit: Visit, t: Translate, { details, requestId }: AuditEntry): Html {
  return html`<details>
    <summary>${t("show")}</summary>
    ${longText(visit, JSON.stringify(details ?? {}, null, 2))}
    <p class="quiet"><code class="id">${requestId}</code></p>
  </details>`;
}
