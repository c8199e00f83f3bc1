import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import type { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { MODES, type Visit } from "../visit.ts";
import { csvHeader, csvLines, NEWEST_FORMAT } from "./csv.ts";
import { openDownloads } from "./open-downloads.ts";
import type { DetailedPayment, Lines } from "./lines.ts";
import { inPieces } from "./pieces.ts";
import { closedOf } from "../visit-semaphore.ts";
import { sealedSheetRows, sheetCsv, sheetRows } from "./sheet.ts";
import { workbook } from "./workbook.ts";
import type { WorkbookRow } from "./workbook-rows.ts";

/** File formats of an export with exact values, for programs. */
export const FORMATS = ["csv", "jsonl"] as const;
export type FileFormat = (typeof FORMATS)[number];
/** File formats for people, by the ends of their files' names. */
export const SHEET_FORMATS = ["xlsx", "excel.csv"] as const;
type SheetFormat = (typeof SHEET_FORMATS)[number];

const CSV_TYPE = "text/csv; charset=utf-8; header=present";
const TYPES: Readonly<Record<FileFormat | SheetFormat, string>> = {
  csv: CSV_TYPE,
  jsonl: "application/jsonl; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "excel.csv": CSV_TYPE,
};

const NOT_IN_NAMES = /[^\w.-]/g;

/** A file that is made while it is sent. */
export interface Download {
  /** Name without the extension. Characters other than letters, digits and "_.-" are left out. */
  readonly name: string;
  readonly format: FileFormat;
  readonly lines: Lines;
  /** Expected number of rows, sent in a header of its own. */
  readonly rowCount: bigint;
  /** Facts for the audit log. */
  readonly holds: { readonly kind: ExportKind; readonly from: string; readonly to: string };
  /** The other filters that chose the rows. */
  readonly filter?: Readonly<Record<string, string>>;
  /** The format of the seal of the rows; absent: the newest. */
  readonly formatVersion?: number;
  /** Lower-case hex SHA-256 of the whole file, if it is known in advance. */
  readonly sha256?: string;
}

/**
 * Streams rows as a file with backpressure, and stops reading when the client disconnects. An error midway breaks the
 * connection, so a file that ends normally is complete. The audit log records the export before its first byte.
 */
export async function sendDownload(visit: Visit, download: Download): Promise<FastifyReply> {
  const { format, lines, sha256, formatVersion = NEWEST_FORMAT } = download;
  await begin(visit, download, format === "csv" ? "csv" : "jsonl");
  if (sha256 !== undefined) {
    void visit.reply.header("repr-digest", `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
  }
  if (visit.request.method === "HEAD") return visit.reply.send();
  const texts = format === "csv" ? csvTexts(formatVersion, lines) : jsonTexts(lines);
  return visit.reply.send(Readable.from(texts, { objectMode: false }));
}

/** A file for people, whose words are in their language. */
export interface Sheet extends Omit<Download, "format" | "lines" | "formatVersion" | "sha256"> {
  readonly format: SheetFormat;
  readonly payments: AsyncGenerator<readonly DetailedPayment[]>;
}

/** As `sendDownload`, as a workbook or as CSV for Excel. A workbook is whole before its first byte. */
export async function sendSheet(visit: Visit, sheet: Sheet): Promise<FastifyReply> {
  const { format, payments } = sheet;
  await begin(visit, sheet, format === "xlsx" ? "xlsx" : "csv");
  if (visit.request.method === "HEAD") return visit.reply.send();
  if (format === "xlsx") return await sendWorkbook(visit, sheetRows(visit, payments));
  return visit.reply.send(Readable.from(sheetCsv(visit, payments), { objectMode: false }));
}

/** As `sendDownload`, of a sealed day as a workbook. It is whole before its first byte. */
export async function sendSealedWorkbook(
  visit: Visit,
  sealed: Omit<Download, "format" | "sha256">,
): Promise<FastifyReply> {
  await begin(visit, { ...sealed, format: "xlsx" }, "xlsx");
  if (visit.request.method === "HEAD") return visit.reply.send();
  const { formatVersion = NEWEST_FORMAT, lines } = sealed;
  return await sendWorkbook(visit, sealedSheetRows(visit, formatVersion, lines));
}

async function sendWorkbook(visit: Visit, rows: AsyncGenerator<WorkbookRow[]>): Promise<FastifyReply> {
  const closed = closedOf(visit);
  try {
    return visit.reply.send(await workbook(visit.tenantId, rows, closed));
  } catch (error) {
    // To a client that has left, the answer goes nowhere.
    if (closed.aborted) return visit.reply.send();
    throw error;
  }
}

/** Takes a permit of the downloads, records the export, and sets the headers of its file. */
async function begin(
  visit: Visit,
  {
    name,
    format,
    rowCount,
    holds,
    filter,
  }: Omit<Download, "format" | "lines"> & Pick<Download | Sheet, "format">,
  recorded: ExportFacts["format"],
): Promise<void> {
  if (visit.request.method !== "HEAD") openDownloads.take(visit);
  await recordExport(visit, { ...holds, format: recorded, rowCount, ...(filter ? { filter } : {}) });
  void visit.reply.headers({
    "content-type": TYPES[format],
    "content-disposition": `attachment; filename="${name.replaceAll(NOT_IN_NAMES, "")}.${format}"`,
    "cache-control": "no-store",
    "paylink-row-count": String(rowCount),
  });
}

/** The facts about an export for the audit log. */
export interface ExportFacts {
  readonly kind: ExportKind;
  readonly format: FileFormat | "xlsx" | "zip";
  /** Empty `from`: from the beginning. Empty `to`: until now. */
  readonly from: string;
  readonly to: string;
  readonly rowCount?: bigint;
  readonly filter?: Readonly<Record<string, string>>;
}

/** Records an export in the audit log. A HEAD request is no export. */
export async function recordExport(visit: Visit, facts: ExportFacts): Promise<void> {
  if (visit.request.method === "HEAD") return;
  const { from, to, filter = {}, ...known } = facts;
  const chosen = Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== ""));
  await visit.core.auditLog.recordExport(
    {
      ...known,
      tenantId: visit.tenantId,
      mode: MODES[visit.mode],
      ...(from === "" ? {} : { from }),
      ...(to === "" ? {} : { to }),
      ...(Object.keys(chosen).length === 0 ? {} : { filter: chosen }),
    },
    visit.as,
  );
}

async function* csvTexts(formatVersion: number, lines: Lines): AsyncGenerator<string> {
  yield csvHeader(formatVersion);
  for await (const some of inPieces(lines)) yield csvLines(formatVersion, some);
}

async function* jsonTexts(lines: Lines): AsyncGenerator<string> {
  for await (const some of inPieces(lines)) yield `${some.join("\n")}\n`;
}
