import type { SummarizePaymentsResponse } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { FORMATS, sendDownload, sendSheet, SHEET_FORMATS } from "../export/download.ts";
import { detailedPayments, paymentLines } from "../export/lines.ts";
import { WORKBOOK_ROWS_MAX } from "../export/sheet.ts";
import { problemsOf } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { balanceRoute } from "./balance.ts";
import { checkRoute } from "./check.ts";
import { detailPage } from "./detail-page.ts";
import { overdueList } from "./receivables.ts";
import { disputes, exceptions } from "./exceptions-and-disputes.ts";
import { exportPage } from "./export-page.ts";
import { payerForms } from "./payer.ts";
import { refundsList } from "./refund-list.ts";
import { refundForms } from "./refunds.ts";
import { chosenOf, filterOf, isById, paymentsList, type Chosen } from "./list-page.ts";

const SPAN_DAYS_MAX = 366;
const PROBLEM_STATUS = 422;
const ANY_DAY = { from: "", to: "" };

/** Adds the pages of payments: list, sums, detail and export. The list shows the problems of a refused filter. */
export function paymentsRoom(routes: ConsoleRoutes): void {
  paymentsList.addTo(routes);
  routes.page("/payments/export", "payments.export", async (visit) => {
    const chosen = chosenOf(visit);
    const summary = await summaryOf(visit, chosen);
    if (!summary) return await paymentsList.show(visit);
    const days = await sealedDays(visit, chosen);
    return await visit.show(exportPage(visit, chosen, summary.paymentCount, days));
  });
  for (const format of FORMATS) {
    routes.page(`/payments/export.${format}`, "payments.export", async (visit) => {
      const asked = await exportOf(visit);
      if (!asked) return await paymentsList.show(visit);
      return await sendDownload(visit, { ...asked, format, lines: paymentLines(visit, asked.chosenBy) });
    });
  }
  for (const format of SHEET_FORMATS) {
    routes.page(`/payments/export.${format}`, "payments.export", async (visit) => {
      const asked = await exportOf(visit);
      if (!asked) return await paymentsList.show(visit);
      const isTooLong = format === "xlsx" && asked.rowCount > WORKBOOK_ROWS_MAX;
      if (isTooLong)
        return await visit.show(exportPage(visit, chosenOf(visit), asked.rowCount, []), PROBLEM_STATUS);
      return await sendSheet(visit, { ...asked, format, payments: detailedPayments(visit, asked.chosenBy) });
    });
  }
  checkRoute(routes);
  refundForms(routes);
  payerForms(routes);
  exceptions.list.addTo(routes);
  refundsList.addTo(routes);
  balanceRoute(routes);
  disputes.list.addTo(routes);
  overdueList.addTo(routes);
  routes.page("/payments/:id", "payments.read", async (visit) => await visit.show(await detailPage(visit)));
}

/** Returns the facts of the export that the address asks for, or undefined if the core refuses its filter. */
async function exportOf(visit: Visit) {
  const chosen = chosenOf(visit);
  const summary = await summaryOf(visit, chosen);
  if (!summary) return undefined;
  const { from, to, ...filter } = chosen;
  return {
    name: `payments-${visit.mode}-${isById(chosen) ? chosen.q : `${chosen.from}-to-${chosen.to}`}`,
    rowCount: summary.paymentCount,
    holds: { kind: ExportKind.PAYMENTS, ...(isById(chosen) ? ANY_DAY : { from, to }) },
    filter,
    chosenBy: filterOf(visit, chosen),
  };
}

/** Returns the sums of the payments, or undefined if the core refuses the filter. */
async function summaryOf(visit: Visit, chosen: Chosen): Promise<SummarizePaymentsResponse | undefined> {
  try {
    return await visit.core.ledger.summarizePayments({ filter: filterOf(visit, chosen) }, visit.as);
  } catch (error) {
    if (problemsOf(error, visit.t)) return undefined;
    throw error;
  }
}

/** Returns the sealed days of the period, or none if the period is too long. */
async function sealedDays(visit: Visit, chosen: Chosen): Promise<string[]> {
  const { from, to } = chosen;
  // With a payment id, the core has not validated the days.
  if (isById(chosen) || Temporal.PlainDate.from(from).until(to).days >= SPAN_DAYS_MAX) return [];
  const { seals } = await visit.core.ledger.listSeals({ from, to }, visit.as);
  return seals.flatMap(({ seal }) => (seal ? [seal.day] : []));
}
