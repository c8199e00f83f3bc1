import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import fastify, { type FastifyInstance } from "fastify";
import type { Core } from "./app.ts";
import { endOnTime } from "./platform/grpc/deadline.ts";
import { forgetFarDeadlines, hasUsableHost } from "./platform/grpc/request-headers.ts";
import type { ServerTls } from "./platform/tls.ts";

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
// Of one connection. Each may have a message in memory before it is known who sends it.
const STREAMS_MAX = 250;
const UNREAD_MS = 1000;
const SHUTDOWN_MS = 10_000;

/** The core's door for gRPC, gRPC-Web and Connect clients: HTTP/2, in cleartext (h2c) without `tls`. */
export async function createCoreServer(core: Core, tls?: ServerTls): Promise<FastifyInstance> {
  const options = { http2: true, logger: false, bodyLimit: MESSAGE_BYTES_MAX } as const;
  // Under TLS the handshake settles the version, so that HTTP/1.1 clients are served here too.
  const server = tls ? fastify({ ...options, https: { ...tls, allowHTTP1: true } }) : fastify(options);
  server.server.on("session", (session) => session.settings({ maxConcurrentStreams: STREAMS_MAX }));
  // A request that was answered before its end would keep its stream, and so its connection, open for ever. Reset at
  // once, some clients would take the answer for lost.
  server.server.on("stream", (stream) => {
    stream.once("finish", () => {
      if (!stream.readableEnded) setTimeout(() => stream.destroy(), UNREAD_MS).unref();
    });
  });
  await mount(server as unknown as FastifyInstance, core);
  return server as unknown as FastifyInstance;
}

/** The core's door for gateways in other processes: Connect over HTTP/1.1, which survives idle connections. */
export async function createCoreHttpServer(core: Core, tls?: ServerTls): Promise<FastifyInstance> {
  const options = { logger: false, bodyLimit: MESSAGE_BYTES_MAX } as const;
  const server = tls ? fastify({ ...options, https: { ...tls } }) : fastify(options);
  await mount(server, core);
  return server;
}

async function mount(server: FastifyInstance, { register, interceptors }: Core): Promise<void> {
  server.addHook("onRequest", async ({ raw }, reply) => {
    forgetFarDeadlines(raw.headers);
    if (!hasUsableHost(raw.headers)) return await reply.code(400).send();
    return undefined;
  });
  await server.register(fastifyConnectPlugin, {
    routes: (router) => register(router),
    interceptors: [endOnTime(), ...interceptors],
    readMaxBytes: MESSAGE_BYTES_MAX,
    shutdownTimeoutMs: SHUTDOWN_MS,
  });
}
