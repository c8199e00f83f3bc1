import type { AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { periodFields, problemList, selectField, type Option } from "../parts/form.ts";
import { badge, time } from "../parts/show.ts";
import { pager, table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { actionOptions, actionText } from "./actions.ts";
import { kindOf, KINDS } from "./actor.ts";
import { addressOf, type AuditFilter } from "./filter.ts";
import { messagesIn, type Translate } from "./messages.ts";

const SECTION = "/audit";

/** A page of entries, latest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly hasMore: boolean;
}

export function auditPage(visit: Visit, filter: AuditFilter, page: AuditPage, problems: Problems): Html {
  const t = messagesIn(visit.language);
  const { entries, hasMore } = page;
  const last = entries.at(-1)?.id ?? "";
  const isFirst = (visit.query["after"] ?? "") === "";
  const titles = [t("when"), t("actor"), t("action"), t("object"), t("origin"), t("details")];
  return consolePage(visit, {
    title: t("title"),
    section: SECTION,
    actions: html`<a class="button" href="${addressOf(visit, "/audit/export.csv", filter)}" download
        >${t("csv")}</a
      >
      <a class="button" href="${addressOf(visit, "/audit/export.jsonl", filter)}" download>${t("jsonl")}</a>`,
    content: html`<p class="quiet">${t("lead", { mode: visit.t(`mode_${visit.mode}`) })}</p>
      ${problemList(visit, problems)} ${filterForm(visit, t, filter, problems)}
      ${table({
        caption: t("title"),
        columns: titles.map((title) => ({ title })),
        rows: entries.map((entry) => [
          time(visit, entry.createdAt),
          actorCell(visit, t, entry, filter),
          actionCell(visit, t, entry),
          entry.objectId === "" ? "—" : html`<code class="id">${entry.objectId}</code>`,
          entry.address || "—",
          detailsCell(t, entry),
        ]),
        empty: html`<p>${t("empty")}</p>`,
      })}
      ${pager(visit, {
        next: hasMore ? addressOf(visit, SECTION, filter, { after: last }) : undefined,
        first: isFirst ? undefined : addressOf(visit, SECTION, filter),
      })}`,
  });
}

function filterForm(visit: Visit, t: Translate, filter: AuditFilter, problems: Problems): Html {
  const { from, to, actor, action } = filter;
  const kinds = KINDS.all.map((kind): Option => [kind, t(`kind_${kind}`)]);
  // An actor chosen in the table is no kind, but stays selected.
  const chosen: Option[] =
    actor === "" || kinds.some(([kind]) => kind === actor) ? [] : [[actor, t("only_this", { name: actor })]];
  return html`<form class="filters" method="get" action="${visit.path(SECTION)}">
    ${periodFields({ name: "from", label: t("from"), value: from, problems }, { name: "to", label: t("to"), value: to, problems })}
    ${selectField({ name: "actor", label: t("actor"), value: actor, options: [["", t("anybody")], ...kinds, ...chosen], problems })}
    ${selectField({ name: "action", label: t("action"), value: action, options: [["", t("anything")], ...actionOptions(visit.language)], problems })}
    <div class="actions">
      <button>${t("filter")}</button>
      <a class="button" href="${visit.path(SECTION)}">${t("clear")}</a>
    </div>
  </form>`;
}

function actorCell(visit: Visit, t: Translate, entry: AuditEntry, filter: AuditFilter): Html {
  const kind = kindOf(entry);
  const actor = entry.actorId || kind;
  const name = entry.actorName || entry.actorId || t(`kind_${kind}`);
  return html`<a href="${addressOf(visit, SECTION, filter, { actor })}" title="${t("only_this", { name })}"
    >${name}</a
  >`;
}

function actionCell(visit: Visit, t: Translate, { action, mode }: AuditEntry): Html {
  const text = actionText(visit.language, action);
  const both = html` <small class="quiet" title="${t("both_modes")}">(${t("both")})</small>`;
  return action === "SignInRefused" ? badge("warn", text) : html`${text}${mode === undefined ? both : ""}`;
}

function detailsCell(t: Translate, { details, requestId }: AuditEntry): Html {
  return html`<details>
    <summary>${t("show")}</summary>
    <pre>${JSON.stringify(details ?? {}, null, 2)}</pre>
    <p class="quiet"><code class="id">${requestId}</code></p>
  </details>`;
}
