import type { DaySeal, SummarizePaymentsResponse } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm } from "../parts/form.ts";
import { badge, card, copyable, facts, notice, time } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { downloadLink, plainLink } from "../payments/export-page.ts";
import { today } from "../day.ts";
import { refundSumsCard } from "../payments/refund-sums.ts";
import { sumsWithMethods } from "../payments/totals.ts";
import { WORKBOOK_ROWS_MAX } from "../export/sheet.ts";
import type { Visit } from "../visit.ts";
import { verificationPart, verificationToCome, type Verification } from "./verification.ts";
import { messagesIn } from "./messages.ts";

/** The data of a sealed day. */
export interface SealedDay {
  readonly seal: DaySeal;
  /** Display name of the actor who sealed the day. */
  readonly sealedByName: string;
  /** Undefined: it was not requested. */
  readonly verification: Verification | undefined;
}

export function dayPage(
  visit: Visit,
  day: string,
  { sums, totals }: Pick<SummarizePaymentsResponse, "sums" | "totals">,
  sealed: SealedDay | undefined,
  refunds: readonly RefundSum[] | undefined,
  receivables: Html | "",
): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: visit.format.day(day),
    section: "/close",
    trail: { path: `/close?month=${day.slice(0, 7)}`, title: t("title") },
    actions: html`${sealed ? badge("good", t("sealed")) : ""}
    ${
      visit.can("reconciliation.read")
        ? html`<a class="button" href="${visit.path(`/reconciliation/days/${day}`)}">${t("reconciled")}</a>`
        : ""
    }`,
    content: html`${sealed ? sealedContent(visit, sealed) : openContent(visit, day)}
    ${card(
      t(sealed ? "totals_sealed" : "totals"),
      html`<p class="quiet">${t("totals_help")}</p>
        ${sumsWithMethods(visit, totals, sums, t(sealed ? "totals_sealed" : "totals"))}
        <p>
          <a href="${withQuery(visit.path("/payments"), { from: day, to: day })}">${t("see_payments")}</a>
        </p>`,
    )}
    ${refundSumsCard(visit, refunds)} ${receivables}`,
  });
}

function openContent(visit: Visit, day: string): Html {
  const t = messagesIn(visit.language);
  if (day >= today()) return html`<p>${t("not_ended")}</p>`;
  const button = buttonForm(visit, visit.path(`/close/${day}/seal`), t("seal"), {
    kind: "primary",
    question: t("seal_question", { day: visit.format.day(day) }),
  });
  return html`<section class="card">
    <p>${t("not_sealed")}</p>
    ${
      visit.can("close.seal")
        ? html`<p class="quiet">${t("seal_final")}</p>
            ${button}`
        : ""
    }
  </section>`;
}

function sealedContent(visit: Visit, { seal, sealedByName, verification }: SealedDay): Html {
  const t = messagesIn(visit.language);
  const { day, rowsSha256, paymentCount, byteCount, formatVersion, sealedAt } = seal;
  const number = (value: bigint): string => value.toLocaleString(visit.language);
  return html`${visit.query["done"] === "sealed" ? notice(t("sealed_notice")) : ""}
    <div class="cards">
      ${card(
        t("seal_facts"),
        html`${facts([
            [t("sealed_at"), time(visit, sealedAt)],
            [t("sealed_by"), html`<bdi>${sealedByName || t("unnamed")}</bdi>`],
            [t("count"), number(paymentCount)],
          ])}
          <details>
            <summary>${t("technical")}</summary>
            ${copyable(visit, "seal-hash", rowsSha256, t("hash"))}
            ${facts([
              [t("bytes"), number(byteCount)],
              [t("format"), String(formatVersion)],
            ])}
          </details>`,
      )}
      ${visit.can("payments.export") ? filesCard(visit, seal) : ""}
    </div>
    ${verification ? verificationPart(visit, day, verification) : verificationToCome(visit, day)}`;
}

function filesCard(visit: Visit, { day, paymentCount }: DaySeal): Html {
  const t = messagesIn(visit.language);
  const file = (format: string): string => visit.path(`/close/${day}/sealed.${format}`);
  return card(
    t("export"),
    html`<p>${t("export_help", { count: paymentCount.toLocaleString(visit.language) })}</p>
      ${
        paymentCount > WORKBOOK_ROWS_MAX
          ? ""
          : plainLink(file("xlsx"), t("export_xlsx"), t("export_xlsx_help"))
      }
      ${downloadLink(visit, file("csv"), paymentCount, { word: "export_csv", help: "export_csv_help", kind: "plain" })}
      ${downloadLink(visit, file("jsonl"), paymentCount, { word: "export_jsonl", help: "export_jsonl_help", kind: "plain" })}`,
  );
}
