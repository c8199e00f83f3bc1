import type { LookupFunction, Socket } from "node:net";
import type { buildConnector } from "undici";
import { undici } from "./lazy-undici.ts";
import { connectTls, type ClientCertificate } from "./outgoing-tls.ts";

interface ConnectorOptions {
  /** Whose connections they are. */
  readonly owner: string;
  /** Judges the addresses behind a name. */
  readonly lookup: LookupFunction;
  readonly connectMs: number;
  readonly certificate?: ClientCertificate | undefined;
}

/** Returns what opens undici's connections to servers outside: by https in the thread of TLS. */
export function outsideConnector(options: ConnectorOptions): buildConnector.connector {
  const { owner, lookup, connectMs, certificate } = options;
  const { buildConnector, errors } = undici();
  const connectPlain = buildConnector({ lookup, timeout: connectMs, allowH2: false });
  return (address, callback) => {
    const { protocol, hostname: host, port } = address;
    if (protocol !== "https:") {
      connectPlain(address, callback);
      return;
    }
    const stream = connectTls({ host, port: Number(port) || 443, lookup, owner, certificate });
    const timer = setTimeout(() => {
      stream.destroy(new errors.ConnectTimeoutError(`${host} did not connect in ${connectMs} ms`));
    }, connectMs);
    let isOpen = false;
    stream.once("secureConnect", () => {
      isOpen = true;
      clearTimeout(timer);
      // undici uses what a socket has in common with any stream, and what PortStream has besides.
      callback(null, stream as unknown as Socket);
    });
    stream.on("error", (error) => {
      clearTimeout(timer);
      if (!isOpen) callback(error, null);
    });
  };
}
