import { Agent, type ClientRequestArgs } from "node:http";
import { Agent as SecureAgent, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ClientTls } from "../../src/platform/config/tls.ts";
import { noteUnopened } from "./connection-errors.ts";

// A lost SYN is sent again after one second.
const CONNECT_MS = 1300;
// With TLS the core itself must answer, not its system alone.
const HANDSHAKE_MS = 2500;

type OnConnection = (error: Error | null, connection: Duplex) => void;

/**
 * Returns an agent of keep-alive connections to a core, which are open in time or not at all. An error before that, also of the
 * core's certificate, is noted as such: nothing of a request has left then.
 */
export function coreAgent(baseUrl: string, tls: ClientTls): Agent {
  return baseUrl.startsWith("https:")
    ? new BoundedSecureAgent({ keepAlive: true, ...tls })
    : new BoundedAgent({ keepAlive: true });
}

class BoundedAgent extends Agent {
  override createConnection(options: ClientRequestArgs, done?: OnConnection): Duplex | null | undefined {
    return openInTime(super.createConnection(options, done), "connect", CONNECT_MS);
  }
}

class BoundedSecureAgent extends SecureAgent {
  override createConnection(options: RequestOptions, done?: OnConnection): Duplex | null | undefined {
    const connection = openInTime(super.createConnection(options, done), "connect", CONNECT_MS);
    return openInTime(connection, "secureConnect", HANDSHAKE_MS);
  }
}

function openInTime<Connection extends Duplex | null | undefined>(
  connection: Connection,
  opened: "connect" | "secureConnect",
  limitMs: number,
): Connection {
  const late = (): void => {
    const error = new Error("The connection did not open in time.");
    connection?.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
  };
  const timer = setTimeout(late, limitMs);
  const isOpen = (): void => {
    clearTimeout(timer);
    connection?.off("error", noteUnopened);
  };
  // Before the request's own listener.
  connection?.once("error", noteUnopened).once(opened, isOpen).once("close", isOpen);
  return connection;
}
