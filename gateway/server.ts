import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from "fastify";
import { HEADERS } from "../contract/headers.ts";
import { newId } from "../contract/ids.ts";
import { sunsetNotices, type ApiVersion } from "./rest/api-versions.ts";
import { acceptJsonBodies, BODY_LIMIT } from "./rest/body.ts";
import { fieldsIn } from "./pages/form.ts";
import { answerParserError, noteLatest } from "./http/parser-errors.ts";
import { sendError } from "./http/replies.ts";
import { holdFacts, observeRequest, type RequestObserver } from "./http/request-observer.ts";
import { invalidRequest, isCoreUnavailable, PublicError, toPublicError } from "./transcode/errors.ts";
import { transportHeaders } from "./rest/transport-headers.ts";
import { notFound } from "./http/addresses.ts";

export interface ServerOptions {
  readonly logger: FastifyBaseLogger | false;
  /** The versions that the services' paths begin with; see `requireNotice`. */
  readonly versions: readonly ApiVersion[];
  /** Addresses and networks whose X-Forwarded-For is trusted. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Options of Node's TLS. Absent: cleartext. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly requestCert?: boolean } | undefined;
  /** Gets every request that ended. */
  readonly observer?: RequestObserver;
  /** The time for which nothing may be sent or read on a connection. Absent: half a minute. */
  readonly connectionTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;
const HANDSHAKE_MS = 10_000;
const CONNECTION_TIMEOUT_MS = 30_000;
const REQUESTS_OF_CONNECTION_MAX = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
// A long id is an unknown id, not an unknown path.
export const PARAM_LENGTH_MAX = HEADER_BYTES_MAX;

/** Returns a server without routes. Its own refusals, too, have the contract's shape and headers. */
export function createServer({
  logger,
  tls,
  versions,
  observer,
  trustedProxies = [],
  connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
}: ServerOptions): FastifyInstance {
  const fixed = transportHeaders(tls !== undefined);
  // Node's own answer to a missing Host lacks our headers.
  const http = { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false };
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    ...(tls ? ({ https: { ...http, handshakeTimeout: HANDSHAKE_MS, ...tls } } as object) : { http }),
    ...(logger === false ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request costs more than its one line, which has the request id anyway.
    childLoggerFactory: (parent) => parent,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: () => newId("req"),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    routerOptions: {
      maxParamLength: PARAM_LENGTH_MAX,
      // For pages: the API reads its addresses itself.
      querystringParser: fieldsIn,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: connectionTimeoutMs,
    maxRequestsPerSocket: REQUESTS_OF_CONNECTION_MAX,
    // Fastify's own 503 has neither the request id nor the error shape.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerParserError(error, socket, fixed),
    frameworkErrors: (_error, request, reply) => {
      if (observer) observeRequest(request, reply, observer);
      const refused = invalidRequest(null, "The address holds a bad percent escape.");
      const notices = sunsetNotices(versions)?.(request.raw.url ?? "");
      sendError(reply.headers({ ...fixed, [HEADERS.publicRequestId]: request.id, ...notices }), refused);
    },
  });
  app.server.on("request", (request, response) => {
    noteLatest(request, response);
    // Such an error without a listener, of a write after the end, would end the process.
    response.on("error", (error) => app.log.error({ err: error }, "an answer failed"));
  });
  holdFacts(app);
  acceptJsonBodies(app);
  // Node's own answer to an unknown expectation lacks our headers. HTTP allows ignoring it.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFound()));
  app.setErrorHandler((error, request, reply) => {
    const refused = fromFastify(error, request) ?? toPublicError(error);
    if (refused.status >= 500 && !isCoreUnavailable(error))
      request.log.error({ err: error, request_id: request.id }, "request failed");
    return sendError(reply, refused);
  });
  return app;
}

/** Returns the contract's error for what Fastify refuses in a body, or undefined. */
function fromFastify(error: unknown, { routeOptions }: FastifyRequest): PublicError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new PublicError(
        "payload_too_large",
        `The body is larger than ${sizeOf(routeOptions.bodyLimit)}: send less.`,
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new PublicError(
        "unsupported_media_type",
        "The body must be application/json: send it with this Content-Type.",
      );
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalidRequest(null, "The body is not as long as Content-Length says.");
    case "ECONNRESET":
      return invalidRequest(null, "The body ended before its time: send the request again.");
    default:
      return undefined;
  }
}

/** Returns a number of bytes as text: 65536 as "64 KiB", 4200000 as "4.2 MB". */
function sizeOf(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes / 1e6} MB`;
}
