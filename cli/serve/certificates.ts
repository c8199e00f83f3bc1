import type { Server as SecureServer } from "node:tls";
import type { ServerTls } from "../../src/platform/config/tls.ts";
import type { ServerTlsFiles } from "../../src/platform/config/tls-config.ts";
import { readServerTls } from "./tls.ts";

interface Renewable {
  readonly server: object;
  readonly files: ServerTlsFiles;
}

/** The certificates of a process's servers. SIGHUP makes the process read them again. */
export class Certificates {
  readonly #renewables: Renewable[] = [];

  /** Returns the TLS options of a server; undefined: cleartext. Throws ConfigError. */
  read(files: ServerTlsFiles | undefined): ServerTls | undefined {
    return files && readServerTls(files);
  }

  /** Gives renewed certificates to new connections of this server. */
  keep(server: object, files: ServerTlsFiles | undefined): void {
    if (files) this.#renewables.push({ server, files });
  }

  /** Reads every file again. When one cannot be used, all servers keep their certificates. Throws ConfigError. */
  renew(): void {
    const renewed = this.#renewables.map(({ server, files }) => ({ server, tls: readServerTls(files) }));
    for (const { server, tls } of renewed) (server as SecureServer).setSecureContext(tls);
  }
}
