import { cors as rpcHeaders } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { compressionGzip } from "@connectrpc/connect-node";
import cors from "@fastify/cors";
import fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Duplex } from "node:stream";
import { HEADERS } from "../contract/headers.ts";
import type { Core } from "./app.ts";
import { boundHandlers } from "./platform/grpc/bounded-handlers.ts";
import { endOnTime } from "./platform/grpc/deadline.ts";
import { forgetFarDeadlines, hasUsableHost } from "./platform/grpc/request-headers.ts";
import type { ServerTls } from "./platform/config/tls.ts";

const KIB = 1024;
const HEADER_BYTES_MAX = 16 * KIB;
const HANDSHAKE_MS = 10_000;
// Per connection.
const STREAMS_MAX = 100;
const RESETS_AT_ONCE_MAX = 200;
const RESETS_PER_SECOND = 33;
// The maximum time of a call without a deadline.
const CALL_MS = 300_000;
const UNREAD_MS = 1000;
const IDLE_MS = 72_000;
const REQUEST_MS = 40_000;
const SHUTDOWN_MS = 10_000;
// The time that a browser remembers what an origin may do.
const PREFLIGHT_SECONDS = 7200;

const SESSION_OPTIONS = {
  settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEADER_BYTES_MAX, enablePush: false },
  streamResetBurst: RESETS_AT_ONCE_MAX,
  streamResetRate: RESETS_PER_SECOND,
  // In MB, per connection.
  maxSessionMemory: 4,
};
const SOCKET_OPTIONS = { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HANDSHAKE_MS };

const HTTP2_CONNECTIONS_MAX = 1000;
// Gateways open one connection for each request in progress.
const HTTP1_CONNECTIONS_MAX = 4000;

type RawRequest = IncomingMessage | Http2ServerRequest;

interface RawReply {
  code(status: number): { send(): unknown };
}

const OPTIONS = {
  logger: false,
  // A request with a malformed URL bypasses all hooks.
  frameworkErrors: (_error: unknown, _request: unknown, reply: RawReply) => {
    reply.code(400).send();
  },
} as const;

/** Returns the core's listener for gRPC, gRPC-Web and Connect clients: HTTP/2, in cleartext (h2c) without `tls`. */
export async function createCoreServer(core: Core, tls?: ServerTls): Promise<FastifyInstance> {
  const options = { ...OPTIONS, http2: true, http2SessionTimeout: IDLE_MS } as const;
  // Under TLS the handshake selects the version, so HTTP/1.1 clients are served here too.
  const secure = {
    ...tls,
    ...SESSION_OPTIONS,
    ...SOCKET_OPTIONS,
    handshakeTimeout: HANDSHAKE_MS,
    allowHTTP1: true,
  };
  // Fastify passes `http` to Node's server here too, but its types have the option only without HTTP/2.
  const cleartext: object = { ...options, http: SESSION_OPTIONS };
  const server = tls ? fastify({ ...options, https: secure }) : fastify(cleartext as typeof options);
  await mount(server as unknown as FastifyInstance, core, HTTP2_CONNECTIONS_MAX);
  return server as unknown as FastifyInstance;
}

/** The HTTP/1.1 listener's TLS, if any, and the origins of web pages that may call it. */
interface HttpOptions {
  readonly tls?: ServerTls | undefined;
  readonly origins?: readonly string[];
}

/**
 * Returns the core's listener for HTTP/1.1: Connect for gateways in other processes, which survives idle connections, and
 * for curl; gRPC-Web for web pages of these origins.
 */
export async function createCoreHttpServer(
  core: Core,
  { tls, origins = [] }: HttpOptions = {},
): Promise<FastifyInstance> {
  const options = { ...OPTIONS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS } as const;
  const server = tls
    ? fastify({ ...options, https: { ...tls, ...SOCKET_OPTIONS, handshakeTimeout: HANDSHAKE_MS } })
    : fastify({ ...options, http: SOCKET_OPTIONS });
  if (origins.length > 0) await allowPages(server, origins);
  await mount(server, core, HTTP1_CONNECTIONS_MAX);
  return server;
}

/** Lets web pages of these origins call. They say who they are by a token, as everybody: no cookie is read. */
async function allowPages(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: [...rpcHeaders.allowedMethods],
    exposedHeaders: [...rpcHeaders.exposedHeaders, HEADERS.requestId],
    maxAge: PREFLIGHT_SECONDS,
  });
}

async function mount(server: FastifyInstance, core: Core, connectionsMax: number): Promise<void> {
  const { register, interceptors, gate } = core;
  server.server.maxConnections = connectionsMax;
  refuseUnread(server);
  server.addHook("onRequest", async ({ raw }: { raw: RawRequest }, reply) => {
    endUnread(raw, reply.raw);
    forgetFarDeadlines(raw.headers);
    if (!hasUsableHost(raw.headers)) return await reply.code(400).send();
    return undefined;
  });
  await server.register(fastifyConnectPlugin, {
    routes: (router) => {
      register(router);
      boundHandlers(router);
    },
    requestGate: gate,
    interceptors: [endOnTime(CALL_MS), ...interceptors],
    // Brotli takes most of a minute for the largest answer.
    acceptCompression: [compressionGzip],
    // A typing error in JSON is refused by its name. Gateways of another version send protobuf, whose unknown fields are left alone.
    jsonOptions: { ignoreUnknownFields: false },
    shutdownTimeoutMs: SHUTDOWN_MS,
  });
}

/** Leaves every body to its RPC, and answers requests without an RPC unread. */
function refuseUnread(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _body, done) => done(null));
  server.setNotFoundHandler((_request, reply) => reply.code(404).send());
  server.setErrorHandler(({ statusCode = 500 }: FastifyError, _request, reply) =>
    reply.code(statusCode).send(),
  );
}

/**
 * Ends a request whose answer was sent before its body was read: its stream would stay as long as its connection. The delay
 * is for clients that lose the answer if they are reset at once.
 */
function endUnread(request: RawRequest, response: EventEmitter): void {
  const sent: EventEmitter = "stream" in request ? request.stream : response;
  const connection: Duplex = "stream" in request ? request.stream : request.socket;
  sent.once("finish", () => {
    if (request.complete) return;
    setTimeout(() => {
      if (!request.complete) connection.destroy();
    }, UNREAD_MS).unref();
  });
}
