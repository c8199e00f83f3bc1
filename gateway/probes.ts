import type { FastifyInstance, FastifyReply } from "fastify";
import { sendJson } from "./replies.ts";

/** Where the gateway tells how it is. `/healthz` is what `/readyz` was called first. */
export const PROBES: readonly string[] = ["/livez", "/readyz", "/healthz"];

/** Alive: the process answers. Ready: it can serve, and is not about to end. */
export function addProbes(
  app: FastifyInstance,
  { isReady }: { readonly isReady: () => Promise<boolean> },
): void {
  for (const path of PROBES) {
    const handler = async (_request: unknown, reply: FastifyReply): Promise<FastifyReply> => {
      const isGood = path === "/livez" || (await isReady().catch(() => false));
      return sendJson(reply, isGood ? 200 : 503, `{"status":"${isGood ? "ok" : "unavailable"}"}`);
    };
    app.route({ method: ["GET", "HEAD"], url: path, handler });
  }
}
