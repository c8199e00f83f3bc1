import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { ExportKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { recordExport, type FileFormat } from "../export/download.ts";
import { codeOf, NO_PROBLEMS } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { allEntries, csvOf, jsonLinesOf, pageOf } from "./export.ts";
import { addressOf, filterOf, requestOf } from "./filter.ts";
import { auditPage } from "./view.ts";
import { messagesIn } from "./messages.ts";

const PAGE_SIZE = 50;
const PROBLEM_STATUS = 422;

/** Adds the pages and files of the audit log. */
export function auditRoom(routes: ConsoleRoutes): void {
  routes.page("/audit", "audit.read", async (visit) => {
    const filter = filterOf(visit);
    const after = visit.query["after"] ?? "";
    const request = { ...requestOf(visit, filter), limit: PAGE_SIZE };
    try {
      const page = await visit.core.auditLog.listAuditEntries(
        after === "" ? request : { ...request, startingAfter: after },
        visit.as,
      );
      return await visit.show(auditPage(visit, filter, page, NO_PROBLEMS));
    } catch (error) {
      if (codeOf(error) !== "invalid_request") throw error;
      const problems = new Map([["from", messagesIn(visit.language)("bad_days")]]);
      return await visit.show(
        auditPage(visit, filter, { entries: [], hasMore: false }, problems),
        PROBLEM_STATUS,
      );
    }
  });
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
    return visit.goTo(addressOf(visit, "/audit", filter));
  }
}
