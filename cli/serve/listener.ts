import type { FastifyInstance } from "fastify";
import { lookup } from "node:dns/promises";
import type { ServerTlsFiles } from "../../src/platform/config/tls-config.ts";
import type { Certificates } from "./certificates.ts";
import { DrainingServer } from "./draining-server.ts";
import type { Ending } from "./ending.ts";
import type { SafeLog } from "../observe/log.ts";

interface Surroundings {
  readonly log: SafeLog;
  readonly ending: Ending;
  readonly certificates: Certificates;
}

/** A server before it listens. */
export interface Listener {
  readonly listener: string;
  readonly app: FastifyInstance;
  readonly files: ServerTlsFiles | undefined;
}

/** Makes a server listen. Its certificates are renewed, and it drains, with the process. */
export async function listen(
  { log, ending, certificates }: Surroundings,
  { listener, app, files }: Listener,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  certificates.keep(app.server, files);
  ending.addServer(new DrainingServer(app));
  // At the name "localhost" Fastify listens with more servers, which have neither our bounds nor our certificates.
  const { address: host } = await lookup(at.host, { order: "ipv4first" });
  const address = await app.listen({ ...at, host });
  log.info({ listener, address }, "listening");
}
