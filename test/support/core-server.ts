import { createCoreHttpServer, createCoreServer } from "../../src/listeners.ts";
import type { ServerTls } from "../../src/platform/config/tls.ts";
import type { Core } from "../../src/app.ts";

/** The core's two ports. */
export interface CorePorts {
  /** "127.0.0.1:1234", HTTP/2. */
  readonly http2: string;
  /** "127.0.0.1:1234", HTTP/1.1. */
  readonly http1: string;
  close(): Promise<void>;
}

/** Opens both ports of a core. */
export async function openCorePorts(core: Core, tls?: ServerTls): Promise<CorePorts> {
  const servers = [await createCoreServer(core, tls), await createCoreHttpServer(core, { tls })];
  const at = { host: "127.0.0.1", port: 0 };
  const [http2 = "", http1 = ""] = await Promise.all(
    servers.map(async (server) => new URL(await server.listen(at)).host),
  );
  return {
    http2,
    http1,
    close: async () => {
      for (const server of servers) await server.close();
    },
  };
}
