import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import type { Visit } from "../visit.ts";
import { csvHeader, csvLines } from "./csv.ts";
import type { Lines } from "./lines.ts";

/** How rows are written to a file. */
export const FORMATS = ["csv", "jsonl"] as const;
type FileFormat = (typeof FORMATS)[number];

const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/jsonl; charset=utf-8",
};

const NOT_IN_NAMES = /[^\w.-]/g;

/** A file that is made while it is read. */
export interface Download {
  /** Without the ending. Whatever is neither a letter, a digit nor one of "_.-" is left out of it. */
  readonly name: string;
  readonly format: FileFormat;
  readonly lines: Lines;
  /** Rows to expect, told ahead in a header of their own. */
  readonly rowCount: bigint;
  /** Lower-case hex SHA-256 of the whole file, where it is known ahead. */
  readonly sha256?: string;
}

/**
 * Streams rows as a file, no faster than they are taken, and stops reading when whoever asked has left. What fails midway
 * breaks the connection: a file that ended well is whole.
 */
export function sendDownload({ request, reply }: Visit, download: Download): FastifyReply {
  const { name, format, lines, rowCount, sha256 } = download;
  void reply.headers({
    "content-type": TYPES[format],
    "content-disposition": `attachment; filename="${name.replaceAll(NOT_IN_NAMES, "")}.${format}"`,
    "cache-control": "no-store",
    "paylink-row-count": String(rowCount),
    ...(sha256 === undefined
      ? {}
      : { "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:` }),
  });
  if (request.method === "HEAD") return reply.send();
  const texts = format === "csv" ? csvTexts(lines) : jsonTexts(lines);
  return reply.send(Readable.from(texts, { objectMode: false }));
}

async function* csvTexts(lines: Lines): AsyncGenerator<string> {
  yield csvHeader();
  for await (const some of lines) if (some.length > 0) yield csvLines(some);
}

async function* jsonTexts(lines: Lines): AsyncGenerator<string> {
  for await (const some of lines) if (some.length > 0) yield `${some.join("\n")}\n`;
}
