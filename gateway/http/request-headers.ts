import type { FastifyInstance } from "fastify";
import { addressIn } from "../../contract/network.ts";

/**
 * Returns every value of a header; Node's own table keeps only one of some headers, and injected requests have no
 * `headersDistinct`. `name` is in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] as string);
    }
  }
  return values;
}

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
