import type { Multipart, MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { TOKEN_FIELD } from "./form-token.ts";
import { Refused } from "./refused.ts";

/** A file in a form. */
export interface Upload {
  /** The file's name from the browser. */
  readonly name: string;
  readonly content: Buffer;
}

const uploads = new WeakMap<FastifyRequest, Upload>();

/** Returns the form's file, or undefined if none was chosen. */
export function fileOf(request: FastifyRequest): Upload | undefined {
  return uploads.get(request);
}

/**
 * Reads a multipart form. Its token must come before its file, so that no file is read from a form that is not ours.
 * Throws Refused: foreign_form, too_large.
 */
export async function readUpload(
  request: FastifyRequest,
  bytesMax: number,
  isOurs: (token: string | undefined) => boolean,
): Promise<void> {
  if (!request.isMultipart()) throw new Refused("foreign_form");
  const fields: Record<string, string[]> = {};
  try {
    for await (const part of request.parts({ limits: { fileSize: bytesMax } })) {
      if (isFile(part)) {
        if (!isOurs(fields[TOKEN_FIELD]?.at(-1))) throw new Refused("foreign_form");
        await keep(request, part);
      } else if (typeof part.value === "string") {
        (fields[part.fieldname] ??= []).push(part.value);
      }
    }
  } catch (error) {
    // The parser's own errors have no status. All of them mean that the body is no multipart form.
    if (error instanceof Refused || (error instanceof Error && "statusCode" in error)) throw error;
    throw new Refused("foreign_form");
  }
  if (!isOurs(fields[TOKEN_FIELD]?.at(-1))) throw new Refused("foreign_form");
  request.body = fields;
}

async function keep(request: FastifyRequest, part: MultipartFile): Promise<void> {
  const content = await part.toBuffer().catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "FST_REQ_FILE_TOO_LARGE")
      throw new Refused("too_large");
    throw error;
  });
  if (content.length > 0) uploads.set(request, { name: part.filename, content });
}

function isFile(part: Multipart): part is MultipartFile {
  return part.type === "file";
}
