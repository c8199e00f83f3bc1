import type { Server as SecureServer } from "node:tls";
import type { ServerTls } from "../src/platform/tls.ts";
import type { ServerTlsFiles } from "../src/platform/tls-config.ts";
import { readServerTls } from "./tls.ts";

interface Renewable {
  readonly server: object;
  readonly files: ServerTlsFiles;
}

/** The certificates of a process's servers, which SIGHUP makes it read again. */
export class Certificates {
  readonly #renewables: Renewable[] = [];

  /** What a server is made with; undefined for cleartext. Throws ConfigError. */
  read(files: ServerTlsFiles | undefined): ServerTls | undefined {
    return files && readServerTls(files);
  }

  /** New connections of this server get the renewed certificate. */
  keep(server: object, files: ServerTlsFiles | undefined): void {
    if (files) this.#renewables.push({ server, files });
  }

  /** Reads every file again; when one cannot be used, all servers go on as they were. Throws ConfigError. */
  renew(): void {
    const renewed = this.#renewables.map(({ server, files }) => ({ server, tls: readServerTls(files) }));
    for (const { server, tls } of renewed) (server as SecureServer).setSecureContext(tls);
  }
}
