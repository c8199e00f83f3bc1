import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { presentDay } from "../day.ts";
import { recordExport } from "../export/download.ts";
import { openDownloads } from "../export/open-downloads.ts";
import { monthPackage, packageName } from "../month-package/month-package.ts";
import { Refused } from "../refused.ts";
import { closedOf } from "../visit-semaphore.ts";
import type { Visit } from "../visit.ts";
import { MONTH } from "./month-page.ts";
import { accountName } from "./words.ts";

/**
 * Streams the accountant's package of the month in the address, or of the present one. Throws Refused when the calendar has
 * no such month.
 */
export async function sendPackage(visit: Visit): Promise<FastifyReply> {
  const asked = visit.query["month"] ?? "";
  if (asked !== "" && !MONTH.test(asked)) throw new Refused("unknown", visit);
  const month = asked === "" ? presentDay().toPlainYearMonth() : Temporal.PlainYearMonth.from(asked);
  const isHead = visit.request.method === "HEAD";
  if (!isHead) openDownloads.take(visit);
  const [from, to] = [1, month.daysInMonth].map((day) => month.toPlainDate({ day }).toString());
  await recordExport(visit, {
    kind: ExportKind.MONTH_PACKAGE,
    format: "zip",
    from: from ?? "",
    to: to ?? "",
  });
  void visit.reply.headers({
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="${packageName(month)}"`,
    "cache-control": "no-store",
  });
  if (isHead) return visit.reply.send();
  const { core, as, tenantId, mode, language } = visit;
  const bytes = monthPackage({
    core,
    as,
    month,
    tenantId,
    mode,
    language,
    accountName: (id) => accountName(visit, id),
    signal: closedOf(visit),
  });
  return visit.reply.send(Readable.from(bytes, { objectMode: false }));
}
