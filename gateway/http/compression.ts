import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseAccept } from "hono/utils/accept";
import { FairSemaphore } from "../../contract/fair-semaphore.ts";
import { ownerOf } from "./request-observer.ts";

type Encoding = "br" | "gzip";

const LEAST_BYTES = 1024;
const BROTLI_QUALITY = 5;
// From here on a text keeps a thread for milliseconds, and a page of 5 MB for half a second.
const LARGE_BYTES = 32 * 1024;
// Of the process's four threads, which sign quotes and read files, too.
const LARGE_AT_ONCE = {
  total: 2,
  perKey: 1,
  waitingPerKey: 0,
  waitingTotal: 0,
  refusal: () => new Error("busy"),
};
// Browsers send fifty. A stranger's thousands of entries take 15 ms.
const ACCEPTED_MAX = 1000;
const TEXT = /^(?:text\/|application\/(?:json|javascript)\b|image\/svg\+xml)/;
const CONSOLE = "/console";

const compress: Readonly<Record<Encoding, (text: Buffer) => Promise<Buffer>>> = {
  br: async (text) =>
    await promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
};

/**
 * Sends texts of a KiB and more compressed to clients that take it. A large one is sent as it is while another one of its tenant
 * is being compressed, or those of two others are: else one tenant's would keep all threads, and others' requests would wait.
 * A page of the console is sent as it is: it has secrets beside what its address says, and the length of a compressed one would
 * say something of them (BREACH).
 */
export function compressTexts(app: FastifyInstance): void {
  // What is sent again and again, such as a style sheet, is one object, and is compressed once.
  const kept = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();
  const large = new FairSemaphore(LARGE_AT_ONCE);
  const compressed = async (
    owner: string,
    payload: string | Buffer,
    encoding: Encoding,
  ): Promise<Buffer | undefined> => {
    if (typeof payload === "string") return await compressedText(large, owner, payload, encoding);
    const made = kept.get(payload) ?? new Map<Encoding, Promise<Buffer>>();
    kept.set(payload, made);
    const one = made.get(encoding) ?? compress[encoding](payload);
    made.set(encoding, one);
    return await one;
  };
  app.addHook("onSend", async (request, reply, payload) => {
    if (!isLongText(payload) || !mayCompress(request, reply)) return payload;
    reply.header("vary", varyOf(reply));
    const encoding = encodingOf(request.headers["accept-encoding"]);
    if (encoding === undefined) return payload;
    const bytes = await compressed(ownerOf(request), payload, encoding);
    if (!bytes) return payload;
    reply.header("content-encoding", encoding).header("content-length", bytes.length);
    return bytes;
  });
}

/** Returns undefined if too many large texts are being compressed. */
async function compressedText(
  large: FairSemaphore,
  owner: string,
  text: string,
  encoding: Encoding,
): Promise<Buffer | undefined> {
  const made = async (): Promise<Buffer> => await compress[encoding](Buffer.from(text));
  if (text.length < LARGE_BYTES) return await made();
  return large.hasRoom(owner) ? await large.run(owner, made) : undefined;
}

/** Returns the encoding of an Accept-Encoding header that is used, or undefined to send the text as it is. */
export function encodingOf(accepted: string | string[] | undefined): Encoding | undefined {
  const names = parseAccept(
    String(accepted ?? "")
      .slice(0, ACCEPTED_MAX)
      .toLowerCase(),
  );
  const offered = new Map(names.map(({ type, q }) => [type, q > 0]));
  const takes = (name: Encoding): boolean => offered.get(name) ?? offered.get("*") ?? false;
  return takes("br") ? "br" : takes("gzip") ? "gzip" : undefined;
}

function isLongText(payload: unknown): payload is string | Buffer {
  return (typeof payload === "string" || Buffer.isBuffer(payload)) && payload.length >= LEAST_BYTES;
}

function mayCompress({ is404, routeOptions, url }: FastifyRequest, reply: FastifyReply): boolean {
  const type = String(reply.getHeader("content-type") ?? "");
  if (!TEXT.test(type) || reply.hasHeader("content-encoding")) return false;
  // The router decodes an address: that of "/%63onsole" is the console's, too.
  const path = (is404 ? undefined : routeOptions.url) ?? url;
  return !path.startsWith(CONSOLE) || !type.startsWith("text/html");
}

function varyOf(reply: FastifyReply): string {
  const before = reply.getHeader("vary");
  if (before === undefined || before === "accept-encoding") return "accept-encoding";
  return `${String(before)}, accept-encoding`;
}
