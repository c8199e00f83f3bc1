import type { SummarizePaymentsResponse } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { FORMATS, sendDownload } from "../export/download.ts";
import { paymentLines } from "../export/lines.ts";
import { problemsOf } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { detailPage } from "./detail-page.ts";
import { disputesList } from "./disputes.ts";
import { overdueList } from "./overdue.ts";
import { exceptionsList } from "./exceptions.ts";
import { exportPage } from "./export-page.ts";
import { refundForms } from "./refunds.ts";
import { chosenOf, filterOf, isById, paymentsList, type Chosen } from "./list-page.ts";

const SPAN_DAYS_MAX = 366;
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
      const chosen = chosenOf(visit);
      const summary = await summaryOf(visit, chosen);
      if (!summary) return await paymentsList.show(visit);
      const { from, to, ...filter } = chosen;
      return await sendDownload(visit, {
        name: `payments-${visit.mode}-${isById(chosen) ? chosen.q : `${chosen.from}-to-${chosen.to}`}`,
        format,
        lines: paymentLines(visit, filterOf(chosen)),
        rowCount: summary.paymentCount,
        holds: { kind: ExportKind.PAYMENTS, ...(isById(chosen) ? ANY_DAY : { from, to }) },
        filter,
      });
    });
  }
  refundForms(routes);
  exceptionsList.addTo(routes);
  disputesList.addTo(routes);
  overdueList.addTo(routes);
  routes.page("/payments/:id", "payments.read", async (visit) => await visit.show(await detailPage(visit)));
}

/** Returns the sums of the payments, or undefined if the core refuses the filter. */
async function summaryOf(visit: Visit, chosen: Chosen): Promise<SummarizePaymentsResponse | undefined> {
  try {
    return await visit.core.ledger.summarizePayments({ filter: filterOf(chosen) }, visit.as);
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
