import type { FastifyInstance } from "fastify";
import { lookup } from "node:dns/promises";
import type { TlsFront } from "../src/platform/incoming-tls/tls-front.ts";
import type { ServerTlsFiles } from "../src/platform/config.ts";
import type { Certificates } from "./certificates.ts";
import { DrainingServer } from "./draining-server.ts";
import type { Ending } from "./ending.ts";
import type { SafeLog } from "./log.ts";
import type { Seat } from "./siblings/seat.ts";

interface Surroundings {
  readonly log: SafeLog;
  readonly ending: Ending;
  readonly certificates: Certificates;
  readonly seat: Seat | undefined;
}

/** A server before it listens. */
export interface Listener {
  readonly listener: string;
  readonly app: FastifyInstance;
  readonly files: ServerTlsFiles | undefined;
  /** What serves it over TLS in a thread. Undefined: it listens itself. */
  readonly front?: TlsFront | undefined;
}

/** Makes a server listen. Its certificates are renewed, and it drains, with the process. */
export async function listen(
  { log, ending, certificates, seat }: Surroundings,
  { listener, app, files, front }: Listener,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  certificates.keep(front ?? app.server, files);
  ending.addServer(new DrainingServer(app, front));
  // At the name "localhost" Fastify listens with more servers, which have neither our bounds nor our certificates.
  const { address: host } = await lookup(at.host, { order: "ipv4first" });
  const place = { ...at, host };
  const address = await (front
    ? front.listen({ ...place, isShared: seat !== undefined })
    : app.listen(place));
  log.info({ listener, address }, "listening");
}

/** Reports that a thread of TLS ended by a fault. */
export function threadFault({ log }: Pick<Surroundings, "log">): (error: unknown) => void {
  return (error) => log.error({ err: error }, "a thread of TLS is started anew");
}
