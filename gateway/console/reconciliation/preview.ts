import type { PreviewBankImportResponse } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, card, cut, facts } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { reasonText } from "./reasons.ts";

interface Preview {
  readonly found: PreviewBankImportResponse;
  /** The file's name. */
  readonly name: string;
  /** True: another file was shown before. */
  readonly isOther: boolean;
  /** Imports the file; "": it cannot be imported, or has nothing new. */
  readonly button: Html | "";
}

/** Returns what a bank's file has: how many lines are new, known and refused, and the first of each. */
export function previewPart(visit: Visit, { found, name, isOther, button }: Preview): Html {
  const t = messagesIn(visit.language);
  const { lineCount, knownCount, rejectedCount, newAmount } = found;
  const number = (count: number): string => count.toLocaleString(visit.language);
  return card(
    t("preview_title", { file: name }),
    html`${isOther ? html`<p class="note">${t("preview_other")}</p>` : ""}
    ${facts([
      [t("new_lines"), number(lineCount - knownCount)],
      [t("new_amount"), visit.format.money(newAmount, "BRL")],
      [t("known_lines"), number(knownCount)],
      [t("rejected_lines"), number(rejectedCount)],
    ])}
    ${button} ${rejectedCount === 0 ? "" : rejectedTable(visit, found)}
    ${found.lines.length === 0 ? "" : lineTable(visit, found)}`,
  );
}

function rejectedTable(visit: Visit, { rejected }: PreviewBankImportResponse): Html {
  const t = messagesIn(visit.language);
  return html`<p class="problem">${t("rejected_text")}</p>
    ${rowTable(t, {
      caption: t("rejected_lines"),
      rows: rejected,
      columns: {
        line_number: ({ line }) => (line === 0 ? t("whole_file") : t("line_of_file", { n: line })),
        rejected_reason: ({ reason }) => html`<bdi>${reasonText(visit, reason)}</bdi>`,
      },
      empty: html``,
    })}`;
}

function lineTable(visit: Visit, { lines }: PreviewBankImportResponse): Html {
  const t = messagesIn(visit.language);
  return html`<h3>${t("first_lines")}</h3>
    ${rowTable(t, {
      caption: t("first_lines"),
      rows: lines,
      columns: {
        day: ({ day }) => html`<span class="nowrap">${visit.format.day(day)}</span>`,
        what: ({ text }) => cut(text),
        document: ({ bankId }) => cut(bankId === "" ? "—" : bankId, "reference"),
        state: ({ isKnown }) => (isKnown ? badge("plain", t("line_known")) : badge("good", t("line_new"))),
        amount: ({ amount, currency }) => visit.format.money(amount, currency),
      },
      numbers: ["amount"],
      empty: html``,
    })}`;
}
