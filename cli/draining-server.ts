import type { FastifyInstance } from "fastify";
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import { Server as NetServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export interface DrainLimits {
  /** How long clients may use the connections that they keep, to learn that they end. */
  readonly graceMs: number;
  /** What is not answered by then is cut off. */
  readonly timeoutMs: number;
}

const LOOK_MS = 10;

/** A server that is closed without a failed request. To be made before the server listens. */
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
   * Lets nobody in any more, tells those inside to go after their next request, and waits for what is under way.
   * Node's own way would end kept connections at once, with requests on them that it has not read yet.
   */
  async close({ graceMs, timeoutMs }: DrainLimits): Promise<void> {
    const { server } = this.#app;
    const limit = setTimeout(() => this.#cut(), timeoutMs);
    if (server.listening) {
      NetServer.prototype.close.call(server);
      server.prependListener("request", sayClose);
      // Says with GOAWAY which request is the last: what came after it is not begun, and clients send it elsewhere.
      for (const session of this.#sessions) session.close();
      const end = performance.now() + graceMs;
      while (performance.now() < end && (await connectionsOf(server)) > 0) await wait(LOOK_MS);
    }
    // What is answered after the grace leaves a kept connection behind, whose client may never end it.
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

/** HTTP/2 has GOAWAY for it, and no such header. */
function sayClose(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor === 1) response.setHeader("connection", "close");
}

async function connectionsOf(server: NetServer): Promise<number> {
  return await new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
