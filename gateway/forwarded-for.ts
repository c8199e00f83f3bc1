import type { FastifyInstance } from "fastify";
import { addressIn } from "../contract/network.ts";

const NAME = "x-forwarded-for";

/**
 * Leaves of X-Forwarded-For what names addresses, before anything asks where a request comes from. Each proxy adds to its end
 * what it saw, so that all before something else is of no use: the request counts as from the proxy that wrote that.
 */
export function readForwardedFor(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const given = raw.headers[NAME];
    if (given !== undefined) raw.headers[NAME] = addressesOf([given].flat().join(","));
    done();
  });
}

/** The addresses at the end, without their ports. */
function addressesOf(given: string): string {
  const written = given.split(",").map((entry) => entry.trim());
  const entries = written.filter((entry) => entry !== "").map(addressIn);
  return entries.slice(entries.lastIndexOf(undefined) + 1).join(", ");
}
