import cookie, { fastifyCookie, type CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyInstance } from "fastify";

// Ours have no escapes. Bad ones, of which a header has room for thousands, take long to decode.
const AS_WRITTEN = { decode: (text: string): string => text };

/** Reads and sets cookies in a plugin. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  // Its types know these options for cookies that are set alone.
  await app.register(cookie, { parseOptions: AS_WRITTEN as CookieSerializeOptions });
}

/** Returns the cookies of a header by name. */
export function cookiesIn(header: string): Readonly<Record<string, string | undefined>> {
  return fastifyCookie.parse(header, AS_WRITTEN);
}
