import type { FastifyReply, FastifyRequest } from "fastify";
import { isId } from "../../contract/ids.ts";
import { addressOf, type PathParameters } from "./context.ts";

const STRAY = /^(\w+)[/.),\p{Cf}]+$/u;

/**
 * Redirects a link's address with signs behind it to the link: the sentence that it stood in, or invisible characters of the
 * app that it was copied from.
 */
export async function dropStraySigns(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { link = "", session } = request.params as Partial<PathParameters>;
  const [, id = ""] = STRAY.exec(session === undefined ? link : `${link}/${session}`) ?? [];
  if (request.method === "POST" || !isId("pl", id)) return;
  const query = /\?.*$/s.exec(request.url)?.[0] ?? "";
  await reply.redirect(`${addressOf({ link: id })}${query}`, 302);
}
