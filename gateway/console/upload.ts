import type { Multipart, MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { TOKEN_FIELD } from "./form-token.ts";
import { Refused } from "./refused.ts";
import type { Visit } from "./visit.ts";
import { VisitSemaphore } from "./visit-semaphore.ts";

/** A file in a form. */
export interface Upload {
  /** The file's name from the browser. */
  readonly name: string;
  readonly byteCount: number;
  /** Undefined if the file is larger than the route takes. */
  readonly content: Buffer | undefined;
}

/** What all fields of a form but its file may hold. */
export const FORM_BYTES_MAX = 64 * 1024;
// A file that is too large is counted up to here, so that the form can say by how much, and nothing of it is kept.
export const COUNTED_BYTES_MAX = 16 * 1024 * 1024;
// Of a tenant and of all, each with a file in memory.
const UPLOADS_AT_ONCE = { total: 16, perKey: 2 };

const uploads = new WeakMap<FastifyRequest, Upload>();
const underWay = new VisitSemaphore(UPLOADS_AT_ONCE);

/** Returns the form's file, or undefined if none was chosen. */
export function fileOf(request: FastifyRequest): Upload | undefined {
  return uploads.get(request);
}

/**
 * Reads a visit's multipart form. Its token must come before its file, so that no file is read from a form that is not
 * ours. Throws Refused: busy, foreign_form, too_large.
 */
export async function readUpload(visit: Visit, bytesMax: number): Promise<void> {
  const { request } = visit;
  // Of a request that has ended before it is read, as its client left, the parser would wait for ever.
  if (!request.isMultipart() || request.raw.destroyed) throw new Refused("foreign_form");
  underWay.take(visit);
  const isOurs = (): boolean => visit.isFormToken(fields[TOKEN_FIELD]?.at(-1));
  const fields: Record<string, string[]> = {};
  let left = FORM_BYTES_MAX;
  try {
    for await (const part of request.parts({ limits: { fileSize: COUNTED_BYTES_MAX } })) {
      if (isFile(part)) {
        if (!isOurs()) throw new Refused("foreign_form");
        await keep(request, part, bytesMax);
      } else if (typeof part.value === "string") {
        // A form that is shown again has all of its fields.
        left -= Buffer.byteLength(part.fieldname) + Buffer.byteLength(part.value);
        if (left < 0) throw new Refused("too_large");
        (fields[part.fieldname] ??= []).push(part.value);
      }
    }
  } catch (error) {
    // The parser's own errors have no status. All of them mean that the body is no multipart form.
    if (error instanceof Refused || (error instanceof Error && "statusCode" in error)) throw error;
    throw new Refused("foreign_form");
  }
  if (!isOurs()) throw new Refused("foreign_form");
  request.body = fields;
}

async function keep(
  request: FastifyRequest,
  { file, filename }: MultipartFile,
  bytesMax: number,
): Promise<void> {
  let byteCount = 0;
  let chunks: Buffer[] = [];
  for await (const chunk of file as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount <= bytesMax) chunks.push(chunk);
    else chunks = [];
  }
  if (file.truncated) throw new Refused("too_large");
  if (byteCount === 0) return;
  const content = byteCount <= bytesMax ? Buffer.concat(chunks) : undefined;
  uploads.set(request, { name: filename, byteCount, content });
}

function isFile(part: Multipart): part is MultipartFile {
  return part.type === "file";
}
