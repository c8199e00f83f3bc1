import type { FastifyInstance } from "fastify";

/** The methods that the address of the gateway itself takes. */
export const ROOT_VERBS: Readonly<Record<string, readonly string[]>> = { "/": ["GET", "HEAD"] };

/** Redirects the gateway's address without a path to the console: a payer has the address of a link. */
export async function rootRedirect(app: FastifyInstance): Promise<void> {
  app.route({
    method: ["GET", "HEAD"],
    url: "/",
    handler: async (_request, reply) => await reply.redirect("/console", 302),
  });
}
