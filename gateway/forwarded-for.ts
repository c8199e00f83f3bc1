import type { FastifyInstance } from "fastify";
import { addressIn } from "../contract/network.ts";

const NAME = "x-forwarded-for";

/**
 * Keeps only addresses in X-Forwarded-For, before any code asks for the client's address. Each proxy appends what it
 * saw, so entries before a malformed one are useless: the request counts as from the proxy that wrote that one.
 */
export function readForwardedFor(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const given = raw.headers[NAME];
    if (given !== undefined) raw.headers[NAME] = addressesOf([given].flat().join(","));
    done();
  });
}

/** Returns the addresses at the end of the header, without their ports. */
function addressesOf(given: string): string {
  const written = given.split(",").map((entry) => entry.trim());
  const entries = written.filter((entry) => entry !== "").map(addressIn);
  return entries.slice(entries.lastIndexOf(undefined) + 1).join(", ");
}
