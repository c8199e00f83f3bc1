import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { withQuery } from "../parts/table.ts";
import { WORKBOOK_ROWS_MAX } from "../export/sheet.ts";
import type { Visit } from "../visit.ts";
import { isById, type Chosen } from "./list-page.ts";
import { foundText } from "./totals.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** Returns the download link of a file, with the messages that a script shows during the download. */
export function downloadLink(
  visit: Visit,
  address: string,
  rowCount: bigint,
  {
    word,
    help,
    kind,
  }: { readonly word: MessageKey; readonly help: MessageKey; readonly kind: "primary" | "plain" },
): Html {
  const t = messagesIn(visit.language);
  const count = rowCount.toLocaleString(visit.language);
  const texts = {
    progress: t("export_progress", { rows: "{rows}", count }),
    done: t("export_done", { rows: "{rows}" }),
    differs: t("export_differs", { rows: "{rows}", count }),
    failed: t("export_failed"),
    large: t("export_large", { count }),
  };
  return html`<div class="download">
    <p>
      <a
        class="button ${kind}"
        href="${address}"
        download
        data-download="${String(rowCount)}"
        data-texts="${JSON.stringify(texts)}"
        data-language="${visit.language}"
        >${t(word)}</a
      >
    </p>
    <p class="quiet">${t(help)}</p>
    <progress max="${String(rowCount)}" value="0" aria-label="${t(word)}" hidden></progress>
    <p role="status" class="quiet"></p>
  </div>`;
}

/** Returns the export's page, with the number of rows and the sealed days of the period. */
export function exportPage(
  visit: Visit,
  chosen: Chosen,
  rowCount: bigint,
  sealedDays: readonly string[],
): Html {
  const t = messagesIn(visit.language);
  const count = rowCount.toLocaleString(visit.language);
  const file = (format: string): string => withQuery(visit.path(`/payments/export.${format}`), chosen);
  return consolePage(visit, {
    title: t("export_title"),
    section: "/payments",
    trail: { path: withQuery("/payments", chosen), title: t("title") },
    content: html`<section class="card">
      <p>
        <strong>${foundText(visit, rowCount)}</strong>,
        ${isById(chosen) ? html`<span class="id">${chosen.q}</span>` : html`${visit.format.day(chosen.from)} – ${visit.format.day(chosen.to)}`}
      </p>
      <p>${t("export_text", { count })} ${t("export_now")}</p>
      ${sealedDays.length === 0 ? "" : sealedNote(visit, sealedDays)}
      ${rowCount > WORKBOOK_ROWS_MAX ? html`<p class="note">${t("export_xlsx_many", { max: WORKBOOK_ROWS_MAX.toLocaleString(visit.language) })}</p>` : plainLink(file("xlsx"), t("export_xlsx"), t("export_xlsx_help"))}
      ${plainLink(file("excel.csv"), t("export_excel_csv"), t("export_excel_csv_help"))}
      ${downloadLink(visit, file("csv"), rowCount, { word: "export_csv", help: "export_csv_help", kind: "plain" })}
      ${downloadLink(visit, file("jsonl"), rowCount, { word: "export_jsonl", help: "export_jsonl_help", kind: "plain" })}
    </section>`,
  });
}

/** Returns the link of a file for people, which the browser saves by itself. */
export function plainLink(address: string, word: string, help: string): Html {
  return html`<div class="download">
    <p><a class="button primary" href="${address}" download>${word}</a></p>
    <p class="quiet">${help}</p>
  </div>`;
}

function sealedNote(visit: Visit, days: readonly string[]): Html {
  const t = messagesIn(visit.language);
  return html`<div class="done">
    <p>${t("export_sealed")}</p>
    <ul>
      ${days.map((day) => html`<li><a href="${visit.path(`/close/${day}`)}">${visit.format.day(day)}</a></li>`)}
    </ul>
  </div>`;
}
