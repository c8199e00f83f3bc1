import type { FastifyInstance, FastifyReply } from "fastify";
import { PROBES } from "./probe-paths.ts";
import { sendJson } from "./replies.ts";

/** Adds the probes. Alive: the process answers. Ready: it can serve and is not stopping. */
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
