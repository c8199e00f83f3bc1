import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { ExportKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { recordExport, type FileFormat } from "../export/download.ts";
import { openDownloads } from "../export/open-downloads.ts";
import { withQuery } from "../parts/table.ts";
import { codeOf } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { allEntries, csvOf, jsonLinesOf, pageOf } from "./export.ts";
import { auditList, filterOf } from "./view.ts";

/** Adds the pages and files of the audit log. */
export function auditRoom(routes: ConsoleRoutes): void {
  auditList.addTo(routes);
  routes.page(
    "/audit/export.csv",
    "audit.read",
    async (visit) => await download(visit, "csv", "text/csv; charset=utf-8; header=present", csvOf),
  );
  routes.page(
    "/audit/export.jsonl",
    "audit.read",
    async (visit) => await download(visit, "jsonl", "application/jsonl; charset=utf-8", jsonLinesOf),
  );
}

/** Streams the file while it is made. The page shows the problems of a refused filter. */
async function download(
  visit: Visit,
  extension: FileFormat,
  type: string,
  write: (entries: AsyncIterable<AuditEntry>) => Readable,
): Promise<FastifyReply> {
  const filter = filterOf(visit);
  try {
    const first = await pageOf(visit, filter);
    if (visit.request.method !== "HEAD") openDownloads.take(visit);
    const { from, to, ...chosen } = filter;
    await recordExport(visit, { kind: ExportKind.AUDIT_LOG, format: extension, from, to, filter: chosen });
    const reply = visit.reply
      .headers({
        "cache-control": "no-store",
        "content-disposition": `attachment; filename="audit-${visit.mode}.${extension}"`,
      })
      .type(type);
    if (visit.request.method === "HEAD") return await reply.send();
    return await reply.send(write(allEntries(visit, filter, first)));
  } catch (error) {
    if (codeOf(error) !== "invalid_request") throw error;
    return visit.goTo(withQuery(visit.path("/audit"), filter));
  }
}
