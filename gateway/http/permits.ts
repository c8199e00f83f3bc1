import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerResponse } from "node:http";
import { FairSemaphore } from "../../contract/fair-semaphore.ts";
import { networkOf } from "../../contract/network.ts";
import { PublicError } from "../transcode/errors.ts";

const LIMITS = { total: 256, perKey: 64, waitingPerKey: 1024, waitingTotal: 4096, refusal: tooMany };
// The longest time of a permit: a client may never read its answer.
const PERMIT_MS = 30_000;

declare module "fastify" {
  interface FastifyContextConfig {
    /** True: the route answers with a stream without end, which has bounds of its own. */
    readonly isStream?: boolean;
  }
}

/**
 * Bounds the requests that a gateway works on at a time, in all and of each tenant or network. A request has its permit until
 * its answer has left, its connection has ended, or 30 seconds are over.
 */
export class Permits {
  readonly #semaphore: FairSemaphore;
  readonly #permitMs: number;

  constructor(limits = LIMITS, permitMs = PERMIT_MS) {
    this.#semaphore = new FairSemaphore(limits);
    this.#permitMs = permitMs;
  }

  /** Waits for a permit of the key. Error: service_unavailable if too many wait, or if the client leaves. */
  async take(key: string, { raw }: FastifyReply): Promise<void> {
    // Most requests need not wait, and a signal costs more than all else here.
    const closed = this.#semaphore.isFree(key) ? undefined : closedSignal(raw);
    await new Promise<void>((begin, refuse) => {
      const held = async (): Promise<void> => {
        begin();
        await left(raw, this.#permitMs);
      };
      this.#semaphore.run(key, held, closed).catch((error: unknown) => {
        refuse(closed?.aborted === true ? tooMany() : (error as Error));
      });
    });
  }

  /** Takes a permit of its client's network for each request of a plugin, once it has arrived whole: a slow one holds none. */
  byNetwork(app: FastifyInstance): void {
    app.addHook("preHandler", async (request: FastifyRequest, reply: FastifyReply) => {
      if (request.routeOptions.config.isStream !== true) await this.take(networkOf(request.ip), reply);
    });
  }
}

/** Waits until an answer has left or its connection has ended, for some time at most. */
async function left(response: ServerResponse, limitMs: number): Promise<void> {
  if (hasLeft(response)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, limitMs).unref();
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "Too many requests are under way: try again in a moment.");
}

/**
 * Returns whether an answer's connection has ended, so that its "close" does not come any more. Node does not mark an answer
 * that waits behind others of its connection.
 */
export function hasLeft({ destroyed, closed, req }: ServerResponse): boolean {
  return destroyed || closed || req.socket.destroyed;
}

/** Returns a signal that aborts when an answer has left or its connection has ended. */
export function closedSignal(response: ServerResponse): AbortSignal {
  if (hasLeft(response)) return AbortSignal.abort();
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
