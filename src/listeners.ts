import { createContextKey, createContextValues } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { compressionGzip } from "@connectrpc/connect-node";
import fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import { admit, takeRequest } from "../contract/pipelined-requests.ts";
import { boundBodies } from "../contract/request-bodies.ts";
import type { Core } from "./app.ts";
import { isKnownCaller } from "./platform/core-access.ts";
import { boundHandlers } from "./platform/grpc/bounded-handlers.ts";
import { CallAnswer, callAnswer } from "./platform/grpc/call-answer.ts";
import { tokenHolder } from "./platform/grpc/call-holder.ts";
import { Connections, type RawRequest } from "./platform/grpc/connections.ts";
import { endOnTime } from "./platform/grpc/deadline.ts";
import { MESSAGE_BYTES_MAX } from "./platform/grpc/message-bounds.ts";
import { outletOf } from "./platform/grpc/outlet.ts";
import { paceSessions } from "./platform/grpc/paced-socket.ts";
import { forgetFarDeadlines, hasUsableHost } from "./platform/grpc/request-headers.ts";
import { Strangers, type StrangersBounds } from "./platform/grpc/strangers.ts";
import { TokenConnections, type TokenConnectionBounds } from "./platform/grpc/token-connections.ts";
import type { ServerTls } from "./platform/tls.ts";

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

const SESSION_OPTIONS = {
  settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEADER_BYTES_MAX, enablePush: false },
  streamResetBurst: RESETS_AT_ONCE_MAX,
  streamResetRate: RESETS_PER_SECOND,
  // In MB, per connection.
  maxSessionMemory: 4,
};
const SOCKET_OPTIONS = { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HANDSHAKE_MS };

// Gateways open one connection for each request in progress. A burst of new connections must fit in the strangers'
// limit, because a connection is known only after its first call.
const HTTP2_CONNECTIONS = {
  all: 1000,
  tokens: { all: 600, ofOne: 100 },
  strangers: { all: 200, ofNetwork: 50 },
};
const HTTP1_CONNECTIONS = {
  all: 4000,
  tokens: { all: 2000, ofOne: 256 },
  strangers: { all: 1000, ofNetwork: 50 },
};

/** The most connections of a port. */
interface ConnectionBounds {
  readonly all: number;
  readonly tokens: TokenConnectionBounds;
  readonly strangers: StrangersBounds;
}

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
  paceSessions(server.server, tls ? "secureConnection" : "connection");
  await mount(server as unknown as FastifyInstance, core, HTTP2_CONNECTIONS);
  return server as unknown as FastifyInstance;
}

/** Returns the core's listener for gateways in other processes: Connect over HTTP/1.1, which survives idle connections. */
export async function createCoreHttpServer(core: Core, tls?: ServerTls): Promise<FastifyInstance> {
  const options = { ...OPTIONS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS } as const;
  const server = tls
    ? fastify({ ...options, https: { ...tls, ...SOCKET_OPTIONS, handshakeTimeout: HANDSHAKE_MS } })
    : fastify({ ...options, http: SOCKET_OPTIONS });
  await mount(server, core, HTTP1_CONNECTIONS);
  return server;
}

const rawOf = createContextKey<RawRequest | undefined>(undefined);

async function mount(server: FastifyInstance, core: Core, connections: ConnectionBounds): Promise<void> {
  const { register, interceptors, gate, isFamiliar, answers } = core;
  const strangers = new Strangers(connections.strangers);
  const ofTokens = new TokenConnections(connections.tokens);
  const accepted = new Connections();
  const begun = new WeakMap<RawRequest, CallAnswer>();
  // With TLS too, this is the underlying socket: connections without a handshake count as well.
  const listener: Server = server.server;
  listener.maxConnections = connections.all;
  listener.on("connection", (socket) => {
    accepted.add(socket);
    strangers.add(socket);
  });
  refuseUnread(server);
  boundBodies(listener);
  admit(listener, (raw, response) => {
    if (!("stream" in raw) && !takeRequest(raw, response)) return false;
    if (!isFamiliar(raw.headers.authorization) && !strangers.mayCall(raw)) return false;
    endUnread(raw, response);
    return true;
  });
  server.addHook("onRequest", async ({ raw }: { raw: RawRequest }, reply) => {
    begun.set(raw, new CallAnswer(answers, outletOf(raw, reply.raw, accepted.socketOf(raw))));
    forgetFarDeadlines(raw.headers);
    if (!hasUsableHost(raw.headers)) return await reply.code(400).send();
    return undefined;
  });
  await server.register(fastifyConnectPlugin, {
    routes: (router) => {
      register(router);
      boundHandlers(router);
    },
    contextValues: ({ raw }) => createContextValues().set(rawOf, raw).set(callAnswer, begun.get(raw)),
    requestGate: async (context) => {
      try {
        await gate(context);
      } finally {
        const raw = context.values.get(rawOf);
        if (raw && context.values.get(isKnownCaller)) {
          strangers.know(raw);
          const [holder, socket] = [tokenHolder(context.values), accepted.socketOf(raw)];
          if (holder !== undefined && socket) ofTokens.use(holder, socket);
        }
      }
    },
    interceptors: [endOnTime(CALL_MS), ...interceptors],
    // Brotli takes most of a minute for the largest answer.
    acceptCompression: [compressionGzip],
    // A typing error in JSON is refused by its name. Gateways of another version send protobuf, whose unknown fields are left alone.
    jsonOptions: { ignoreUnknownFields: false },
    readMaxBytes: MESSAGE_BYTES_MAX,
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
 * Ends a request whose answer was sent before its body was read. Otherwise the sender could keep its stream or
 * connection open. The delay is needed because some clients lose the answer if they are reset at once.
 */
function endUnread(request: RawRequest, response: EventEmitter): void {
  const [incoming, outgoing, connection]: [Duplex | IncomingMessage, EventEmitter, Duplex] =
    "stream" in request
      ? [request.stream, request.stream as Duplex, request.stream]
      : [request, response, request.socket];
  const isUnread = (): boolean => !incoming.readableEnded && !request.complete;
  outgoing.once("finish", () => {
    if (!isUnread()) return;
    // If all data that had arrived is read by then, the connection may serve the next call.
    setTimeout(() => {
      if (isUnread()) connection.destroy();
    }, UNREAD_MS).unref();
  });
}
