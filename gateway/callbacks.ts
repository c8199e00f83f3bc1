import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HEADERS } from "../contract/headers.ts";
import { ProvidersService } from "../gen/paylink/providers/v1/providers_pb.ts";
import { defined } from "../contract/defined.ts";
import { ClientCertificates } from "./http/client-certificates.ts";
import { CORE_TIMEOUT_MS } from "./rest/core-timeout.ts";
import { note, noteOwner } from "./http/request-observer.ts";
import { PublicError } from "./transcode/errors.ts";
import { notFound } from "./http/addresses.ts";

const PATHS = ["/providers/:secret", "/providers/:secret/pix"];
const BODY_BYTES_MAX = 256 * 1024;
const TOO_LARGE = "FST_ERR_CTP_BODY_TOO_LARGE";
const SECRET_CHARACTERS_MAX = 100;
const HMAC_CHARACTERS_MAX = 1024;
const HEADERS_MAX = 100;
const HEADER_NAME_CHARACTERS_MAX = 100;
const HEADER_CHARACTERS_MAX = 2048;

/** The methods that callbacks take. Others are refused. */
export const CALLBACK_VERBS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  PATHS.map((path) => [path, ["POST"]]),
);

export interface CallbackOptions {
  readonly transport: Transport;
  readonly coreToken: string;
  /** Addresses and networks of the proxies that set Client-Cert and remove a client's own. */
  readonly certificateProxies?: readonly string[];
}

/** Takes providers' callbacks. The core judges their proof and stores them: nothing else happens here. */
export function takeCallbacks(app: FastifyInstance, options: CallbackOptions): void {
  const client = createClient(ProvidersService, options.transport);
  const shownCertificates = new ClientCertificates(options.certificateProxies ?? []);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  // Any type is taken, and Fastify refuses those that it cannot read.
  app.addHook("onRequest", (request, _reply, done) => {
    delete request.raw.headers["content-type"];
    done();
  });
  app.setErrorHandler((error) => {
    const isTooLarge = error instanceof Error && "code" in error && error.code === TOO_LARGE;
    throw isTooLarge ? new PublicError("payload_too_large", "The body is larger than 256 KiB.") : error;
  });
  const shown = new WeakMap<FastifyRequest, Shown>();
  const optionsOf = (request: FastifyRequest) => ({
    headers: { authorization: `Bearer ${options.coreToken}`, [HEADERS.requestId]: request.id },
    timeoutMs: CORE_TIMEOUT_MS,
    onHeader: (header: Headers) => noteOwner(request, header),
  });
  for (const url of PATHS) {
    app.route<{ Params: { secret: string } }>({
      method: "POST",
      url,
      bodyLimit: BODY_BYTES_MAX,
      // The body of a stranger is not read.
      onRequest: async (request, reply) => {
        const { secret } = request.params;
        if (secret.length > SECRET_CHARACTERS_MAX) throw notFound();
        const hmac = hmacIn(request);
        const certificates = shownCertificates.of(request);
        const proof = { secret, certificates, headers: headersOf(request), ...defined({ hmac }) };
        shown.set(request, proof);
        const isTaken = await taken(request, async () => {
          await client.admitCallback(proof, optionsOf(request)).catch(passUnimplemented);
        });
        return isTaken ? undefined : await reply.code(403).send();
      },
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const isTaken = await taken(request, async () => {
          await client.takeCallback({ ...shown.get(request), body }, optionsOf(request));
        });
        return reply.code(isTaken ? 200 : 403).send();
      },
    });
  }
}

/** The secret of an address, and what a callback shows as proof. */
interface Shown {
  readonly secret: string;
  readonly certificates: Uint8Array[];
  readonly hmac?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns false if the core refuses the callback's proof. Errors: not_found, and those of the core. */
async function taken(request: FastifyRequest, ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    const refusal = ConnectError.from(error);
    if (refusal.code === Code.NotFound) throw notFound();
    // A gateway whose own token may not take callbacks is our fault: the bank is to try again.
    const details = refusal.findDetails(ErrorInfoSchema);
    if (!details.some(({ reason }) => reason === "callback_refused")) throw error;
    note(request, { outcome: "callback_refused" });
    return false;
  }
}

/** A core of the former release checks the proof with the body alone. */
function passUnimplemented(error: unknown): void {
  if (ConnectError.from(error).code !== Code.Unimplemented) throw error;
}

/** Returns the one secret of the query, or undefined. */
function hmacIn({ raw }: FastifyRequest): string | undefined {
  const query = (raw.url ?? "").split("?").slice(1).join("?");
  const [hmac, ...others] = new URLSearchParams(query).getAll("hmac");
  return others.length > 0 || (hmac?.length ?? 0) > HMAC_CHARACTERS_MAX ? undefined : hmac;
}

/** Returns the headers that a core takes. The account's provider says which of them is a proof. */
function headersOf({ raw }: FastifyRequest): Record<string, string> {
  const headers = Object.entries(raw.headers).flatMap(([name, value]): [string, string][] => {
    const isTaken =
      typeof value === "string" &&
      name.length <= HEADER_NAME_CHARACTERS_MAX &&
      value.length <= HEADER_CHARACTERS_MAX;
    return isTaken ? [[name, value]] : [];
  });
  return Object.fromEntries(headers.slice(0, HEADERS_MAX));
}
