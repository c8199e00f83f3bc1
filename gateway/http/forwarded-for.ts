import type { FastifyInstance } from "fastify";
import { addressIn } from "../../contract/network.ts";

const NAME = "x-forwarded-for";
// No request passes as many proxies.
const ENTRIES_MAX = 32;

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

/**
 * Returns the addresses at the end of the header, without their ports. A client may write thousands of entries, and what is
 * no address takes long to read: nothing is read before one.
 */
function addressesOf(given: string): string {
  const found: string[] = [];
  for (const entry of given.split(",").slice(-ENTRIES_MAX).toReversed()) {
    const written = entry.trim();
    if (written === "") continue;
    const address = addressIn(written);
    if (address === undefined) break;
    found.push(address);
  }
  return found.toReversed().join(", ");
}
