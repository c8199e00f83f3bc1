import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import fastify, { type FastifyInstance } from "fastify";
import type { Core } from "./app.ts";

const BODY_LIMIT = 4 * 1024 * 1024;
const SHUTDOWN_MS = 10_000;

/** The core's door for gRPC, gRPC-Web and Connect clients over cleartext HTTP/2. */
export async function createCoreServer(core: Core): Promise<FastifyInstance> {
  const server = fastify({ http2: true, logger: false, bodyLimit: BODY_LIMIT });
  await mount(server as unknown as FastifyInstance, core);
  return server as unknown as FastifyInstance;
}

/** The core's door for gateways in other processes: Connect over HTTP/1.1, which survives idle connections. */
export async function createCoreHttpServer(core: Core): Promise<FastifyInstance> {
  const server = fastify({ logger: false, bodyLimit: BODY_LIMIT });
  await mount(server, core);
  return server;
}

async function mount(server: FastifyInstance, { register, interceptors }: Core): Promise<void> {
  await server.register(fastifyConnectPlugin, {
    routes: (router) => register(router),
    interceptors,
    shutdownTimeoutMs: SHUTDOWN_MS,
  });
}
