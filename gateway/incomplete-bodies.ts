import type { IncomingHttpHeaders } from "node:http";
import { Transform } from "node:stream";
import type { FastifyInstance } from "fastify";
import { holderAt, Occupancy, type Holder, type OccupancyBounds } from "../contract/occupancy.ts";
import { PublicError } from "./transcode/errors.ts";

const MIB = 1024 * 1024;
// Smaller bodies hold no more than their connection does.
const SMALL_BYTES = 16 * 1024;

// In bytes, of all clients, of one network and of its neighbourhood.
const BOUNDS: OccupancyBounds = { all: 64 * MIB, ofOne: 16 * MIB, ofGroup: 24 * MIB };

declare module "fastify" {
  interface FastifyContextConfig {
    /** True: the route itself reads its body in parts. It knows its client before, and bounds what is held. */
    readonly readsItsBody?: boolean;
  }
}

/**
 * Bounds the memory of large bodies that are not complete: some routes read the body of anyone. What is above is refused
 * as it arrives. Error: service_unavailable.
 */
export function boundIncompleteBodies(app: FastifyInstance, bounds = BOUNDS): void {
  const held = new Occupancy(bounds);
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (isSmall(request.headers) || request.routeOptions.config.readsItsBody) {
      done(null, payload);
      return;
    }
    const { counted, free } = counting(held, holderAt(request.ip));
    // After a refusal nothing listens any more, and the rest is discarded.
    counted.on("error", () => undefined);
    payload.on("error", (error) => counted.destroy(error));
    const end = (): void => {
      free();
      payload.unpipe(counted);
      counted.destroy();
    };
    reply.raw.once("finish", end).once("close", end);
    done(null, payload.pipe(counted));
  });
}

/** Returns whether the headers announce a small body or no body. A body has a length or is chunked. */
function isSmall(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] === undefined : Number(length) <= SMALL_BYTES;
}

function counting(held: Occupancy, holder: Holder) {
  let own = 0;
  const free = (): void => {
    held.add(holder, -own);
    own = 0;
  };
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (held.exceeded(holder, chunk.length)) {
        done(new PublicError("service_unavailable", "Too many bodies are under way that are not complete."));
        return;
      }
      held.add(holder, chunk.length);
      own += chunk.length;
      done(null, chunk);
    },
  });
  counted.once("end", free);
  return { counted, free };
}
