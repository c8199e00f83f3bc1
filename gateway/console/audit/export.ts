import { Readable } from "node:stream";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { stringify } from "csv-stringify/sync";
import { wordsOf } from "../../../contract/enum-words.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import {
  ListAuditEntriesRequestSchema,
  type AuditEntry,
  type ListAuditEntriesResponse,
} from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { CSV_FORMAT, jsonCell, textCell } from "../export/csv-cells.ts";
import { largestPage, type Lines } from "../export/lines.ts";
import { inPieces } from "../export/pieces.ts";
import type { Visit } from "../visit.ts";
import { kindOf } from "./actor.ts";
import { requestOf, type AuditFilter } from "./view.ts";

const PAGE_SIZE = largestPage(ListAuditEntriesRequestSchema);
const COLUMNS = [
  "id",
  "created_at",
  "actor_kind",
  "actor_id",
  "actor_name",
  "action",
  "mode",
  "object_id",
  "address",
  "request_id",
  "details",
] as const;

const modes = wordsOf(Mode);
// With a byte order mark, by which spreadsheets recognise UTF-8.
const HEADER = stringify([COLUMNS], { ...CSV_FORMAT, bom: true });

/** Returns entries as CSV for spreadsheets. No text in it can act as a formula. */
export function csvOf(entries: AsyncIterable<AuditEntry>): Readable {
  const lines = map(entries, (entry) => {
    const cells = cellsOf(entry);
    return stringify([COLUMNS.map((column) => cells[column])], CSV_FORMAT);
  });
  return Readable.from(inText(HEADER, lines), { objectMode: false });
}

/** Returns entries as one JSON document a line. */
export function jsonLinesOf(entries: AsyncIterable<AuditEntry>): Readable {
  const lines = map(
    entries,
    (entry) => `${JSON.stringify({ ...recordOf(entry), details: entry.details ?? {} })}\n`,
  );
  return Readable.from(inText("", lines), { objectMode: false });
}

/** Yields all entries of a filter, latest first, and reads each page only when it is needed. */
export async function* allEntries(
  visit: Visit,
  filter: AuditFilter,
  first: ListAuditEntriesResponse,
): AsyncGenerator<AuditEntry> {
  let page = first;
  for (;;) {
    yield* page.entries;
    const last = page.entries.at(-1);
    if (!page.hasMore || !last) return;
    page = await pageOf(visit, filter, last.id);
  }
}

/** Returns a page of an export. Throws the core's refusals. */
export async function pageOf(
  visit: Visit,
  filter: AuditFilter,
  startingAfter?: string,
): Promise<ListAuditEntriesResponse> {
  const request = { ...requestOf(visit, filter), limit: PAGE_SIZE };
  return await visit.core.auditLog.listAuditEntries(
    startingAfter === undefined ? request : { ...request, startingAfter },
    visit.as,
  );
}

function recordOf(entry: AuditEntry) {
  const { id, createdAt, actorId, actorName, action, mode, objectId, address, requestId } = entry;
  return {
    id,
    created_at: createdAt ? timestampDate(createdAt).toISOString() : "",
    actor_kind: kindOf(entry),
    actor_id: actorId,
    actor_name: actorName,
    action,
    mode: modes.wordOf(mode) ?? "",
    object_id: objectId,
    address,
    request_id: requestId,
  };
}

function cellsOf(entry: AuditEntry): Record<string, string> {
  const texts = Object.entries(recordOf(entry)).map(([name, text]) => [name, textCell(text)]);
  return { ...Object.fromEntries(texts), details: jsonCell(entry.details ?? {}) };
}

/** Yields the lines in pieces, with other work in between. */
async function* inText(head: string, lines: Lines): AsyncGenerator<string> {
  if (head !== "") yield head;
  for await (const piece of inPieces(lines)) yield piece.join("");
}

async function* map(entries: AsyncIterable<AuditEntry>, lineOf: (entry: AuditEntry) => string): Lines {
  for await (const entry of entries) yield [lineOf(entry)];
}
