import { html } from "hono/html";
import type { AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { periodFields, problemList, selectField, type Option } from "../parts/form.ts";
import { badge, time } from "../parts/show.ts";
import { pager, table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { actionOptions, actionText } from "./actions.ts";
import { kindOf, KINDS } from "./actor.ts";
import { addressOf, type AuditFilter } from "./filter.ts";
import { sayIn, type Say } from "./words.ts";

const SECTION = "/audit";

/** One page of entries, latest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly hasMore: boolean;
}

export function auditPage(visit: Visit, filter: AuditFilter, page: AuditPage, problems: Problems): Html {
  const say = sayIn(visit.language);
  const { entries, hasMore } = page;
  const last = entries.at(-1)?.id ?? "";
  const isFirst = (visit.query["after"] ?? "") === "";
  const titles = [say("when"), say("actor"), say("action"), say("object"), say("origin"), say("details")];
  return consolePage(visit, {
    title: say("title"),
    section: SECTION,
    actions: html`<a class="button" href="${addressOf(visit, "/audit/export.csv", filter)}" download
        >${say("csv")}</a
      >
      <a class="button" href="${addressOf(visit, "/audit/export.jsonl", filter)}" download
        >${say("jsonl")}</a
      >`,
    content: html`<p class="quiet">${say("lead", { mode: visit.say(`mode_${visit.mode}`) })}</p>
      ${problemList(visit, problems)} ${filterForm(visit, say, filter, problems)}
      ${table({
        caption: say("title"),
        columns: titles.map((title) => ({ title })),
        rows: entries.map((entry) => [
          time(visit, entry.createdAt),
          actorCell(visit, say, entry, filter),
          actionCell(visit, say, entry),
          entry.objectId === "" ? "—" : html`<code class="id">${entry.objectId}</code>`,
          entry.address || "—",
          detailsCell(say, entry),
        ]),
        empty: html`<p>${say("empty")}</p>`,
      })}
      ${pager(visit, {
        next: hasMore ? addressOf(visit, SECTION, filter, { after: last }) : undefined,
        first: isFirst ? undefined : addressOf(visit, SECTION, filter),
      })}`,
  });
}

function filterForm(visit: Visit, say: Say, filter: AuditFilter, problems: Problems): Html {
  const { from, to, actor, action } = filter;
  const kinds = KINDS.map((kind): Option => [kind, say(`kind_${kind}`)]);
  // Whoever was chosen in the table is no kind, and stays chosen.
  const chosen: Option[] =
    actor === "" || kinds.some(([kind]) => kind === actor)
      ? []
      : [[actor, say("only_this", { name: actor })]];
  return html`<form class="filters" method="get" action="${visit.path(SECTION)}">
    ${periodFields({ name: "from", label: say("from"), value: from, problems }, { name: "to", label: say("to"), value: to, problems })}
    ${selectField({ name: "actor", label: say("actor"), value: actor, options: [["", say("anybody")], ...kinds, ...chosen], problems })}
    ${selectField({ name: "action", label: say("action"), value: action, options: [["", say("anything")], ...actionOptions(visit.language)], problems })}
    <div class="actions">
      <button>${say("filter")}</button>
      <a class="button" href="${visit.path(SECTION)}">${say("clear")}</a>
    </div>
  </form>`;
}

function actorCell(visit: Visit, say: Say, entry: AuditEntry, filter: AuditFilter): Html {
  const kind = kindOf(entry);
  const actor = entry.actorId || kind;
  const name = entry.actorName || entry.actorId || say(`kind_${kind}`);
  return html`<a href="${addressOf(visit, SECTION, filter, { actor })}" title="${say("only_this", { name })}"
    >${name}</a
  >`;
}

function actionCell(visit: Visit, say: Say, { action, mode }: AuditEntry): Html {
  const text = actionText(visit.language, action);
  const both = html` <small class="quiet" title="${say("both_modes")}">(${say("both")})</small>`;
  return action === "SignInRefused" ? badge("warn", text) : html`${text}${mode === undefined ? both : ""}`;
}

function detailsCell(say: Say, { details, requestId }: AuditEntry): Html {
  return html`<details>
    <summary>${say("show")}</summary>
    <pre>${JSON.stringify(details ?? {}, null, 2)}</pre>
    <p class="quiet"><code class="id">${requestId}</code></p>
  </details>`;
}
