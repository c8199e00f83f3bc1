import type { FastifyInstance } from "fastify";
import { METHODS } from "node:http";
import { PublicError } from "./transcode/errors.ts";
import { requireId } from "./unknown-address.ts";

/** Returns the methods of a route. HEAD is GET without the body. */
export function verbsOf({ verb }: { readonly verb: string }): string[] {
  return verb === "GET" ? ["GET", "HEAD"] : [verb];
}

/** Refuses every other method at these addresses. Error: method_not_allowed, with the accepted ones in `Allow`. */
export function refuseOtherVerbs(
  app: FastifyInstance,
  routes: readonly { readonly path: string; readonly verb: string }[],
): void {
  for (const verb of METHODS) if (!app.supportedMethods.includes(verb)) app.addHttpMethod(verb);
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    const allowed: readonly string[] = same.map(({ verb }) => verb);
    app.route({
      method: METHODS.filter((verb) => !allowed.includes(verb)),
      url: path,
      onRequest: async (request, reply) => {
        requireId(request);
        reply.header("allow", allowed.join(", "));
        throw new PublicError("method_not_allowed", `This address takes ${allowed.join(", ")} alone.`);
      },
      handler: async () => undefined,
    });
  }
}
