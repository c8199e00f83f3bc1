import type { FastifyReply } from "fastify";
import type { Html } from "../pages/html.ts";

/** Sends a page that is never cached. */
export async function send(reply: FastifyReply, status: number, page: Html): Promise<FastifyReply> {
  const text = (await page).toString();
  return reply
    .code(status)
    .headers({ "cache-control": "no-store", vary: "accept-language, cookie" })
    .type("text/html; charset=utf-8")
    .send(text);
}
