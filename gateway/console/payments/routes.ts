import { ConnectError } from "@connectrpc/connect";
import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { FORMATS, sendDownload } from "../export/download.ts";
import { paymentLines } from "../export/lines.ts";
import { NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { detailPage } from "./detail-page.ts";
import { exportPage } from "./export-page.ts";
import { chosenOf, filterOf, isById, type Chosen } from "./filter.ts";
import { listPage, type Found } from "./list-page.ts";
import { messagesIn } from "./messages.ts";

const PAGE = 50;
const REFUSED_STATUS = 422;
const SPAN_DAYS_MAX = 366;
const ANY_DAY = { from: "", to: "" };

/** Adds the pages of payments: list, sums, detail and export. */
export function paymentsRoom(routes: ConsoleRoutes): void {
  routes.page("/payments", "payments.read", async (visit) => {
    const chosen = chosenOf(visit.query);
    const { found, problems } = await find(visit, chosen);
    return await visit.show(listPage(visit, chosen, found, problems), found ? 200 : REFUSED_STATUS);
  });
  routes.page("/payments/export", "payments.export", async (visit) => {
    const chosen = chosenOf(visit.query);
    const { found, problems } = await find(visit, chosen);
    if (!found) return await visit.show(listPage(visit, chosen, found, problems), REFUSED_STATUS);
    const days = await sealedDays(visit, chosen);
    return await visit.show(exportPage(visit, chosen, found.summary.paymentCount, days));
  });
  for (const format of FORMATS) {
    routes.page(`/payments/export.${format}`, "payments.export", async (visit) => {
      const chosen = chosenOf(visit.query);
      const { found, problems } = await find(visit, chosen);
      if (!found) return await visit.show(listPage(visit, chosen, found, problems), REFUSED_STATUS);
      const { from, to, ...filter } = chosen;
      return await sendDownload(visit, {
        name: `payments-${visit.mode}-${isById(chosen) ? chosen.q : `${chosen.from}-to-${chosen.to}`}`,
        format,
        lines: paymentLines(visit, filterOf(chosen)),
        rowCount: found.summary.paymentCount,
        holds: { kind: ExportKind.PAYMENTS, ...(isById(chosen) ? ANY_DAY : { from, to }) },
        filter,
      });
    });
  }
  routes.page("/payments/:id", "payments.read", async (visit) => await visit.show(await detailPage(visit)));
}

/** Returns the payments, or the problems of a refused filter. */
async function find(visit: Visit, chosen: Chosen): Promise<{ found: Found | undefined; problems: Problems }> {
  const { core, as } = visit;
  const after = visit.query["after"] ?? "";
  const filter = filterOf(chosen);
  const cursor = after === "" ? {} : { startingAfter: after };
  try {
    const [page, summary] = await Promise.all([
      core.ledger.searchPayments({ filter, limit: PAGE, ...cursor }, as),
      core.ledger.summarizePayments({ filter }, as),
    ]);
    return { found: { page, summary }, problems: NO_PROBLEMS };
  } catch (error) {
    const problems = error instanceof ConnectError ? problemsOf(error, visit.t) : undefined;
    if (!problems) throw error;
    const t = messagesIn(visit.language);
    const told = [...problems].map(([field, text]) => {
      return [field, field === "from" || field === "to" ? t("period_refused") : text] as const;
    });
    return { found: undefined, problems: new Map(told) };
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
