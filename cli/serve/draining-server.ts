import type { FastifyInstance } from "fastify";
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import { Server as NetServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export interface DrainLimits {
  /** Time for clients to learn that their keep-alive connections close. */
  readonly graceMs: number;
  /** Limit for requests in progress; later they are cut off. */
  readonly timeoutMs: number;
}

const LOOK_MS = 10;

/** A server that closes without a failed request. Create it before the server listens. */
export class DrainingServer {
  readonly #app: FastifyInstance;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(app: FastifyInstance) {
    this.#app = app;
    (app.server as unknown as Http2Server).on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
  }

  /**
   * Accepts no new connections, asks clients to disconnect after their next request, and waits for requests in
   * progress. Node's own close would end keep-alive connections at once, with requests that it has not read yet.
   */
  async close({ graceMs, timeoutMs }: DrainLimits): Promise<void> {
    const { server } = this.#app;
    const limit = setTimeout(() => this.#cut(), timeoutMs);
    if (server.listening) {
      NetServer.prototype.close.call(server);
      server.prependListener("request", closeAfterwards);
      // GOAWAY names the last request that is handled. Clients send later ones elsewhere.
      for (const session of this.#sessions) session.close();
      const end = performance.now() + graceMs;
      while (performance.now() < end && (await connectionsOf(server)) > 0) await wait(LOOK_MS);
    }
    // A request that is answered after the grace leaves a keep-alive connection that the client may never close.
    const idle = setInterval(() => closeIdle(server), LOOK_MS);
    await this.#app.close();
    clearInterval(idle);
    clearTimeout(limit);
  }

  #cut(): void {
    const { server } = this.#app;
    if ("closeAllConnections" in server) server.closeAllConnections();
    for (const session of this.#sessions) session.destroy();
  }
}

function closeIdle(server: Partial<Pick<HttpServer, "closeIdleConnections">>): void {
  server.closeIdleConnections?.();
}

/** Asks HTTP/1.1 clients to close. HTTP/2 uses GOAWAY and has no such header. */
function closeAfterwards(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor === 1) response.setHeader("connection", "close");
}

async function connectionsOf(server: NetServer): Promise<number> {
  return await new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
