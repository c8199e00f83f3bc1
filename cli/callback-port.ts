import type { FastifyInstance } from "fastify";
import { createCallbackGateway, type CallbackGatewayOptions } from "../gateway/app.ts";
import { TlsFront } from "../src/platform/incoming-tls/tls-front.ts";
import type { ServerTls } from "../src/platform/tls.ts";

// A bank calls from a few addresses, with a few connections.
const BOUNDS = { all: 500, ofNetwork: 50, handshakes: 100 };

/**
 * Returns the server of callbacks that prove themselves by a certificate, and the thread that asks clients for it. Any
 * certificate is passed on: the core judges it by the authorities of the callback's account.
 */
export function openCallbackPort(
  options: Omit<CallbackGatewayOptions, "certificatesOf" | "isBehindTls">,
  { cert, key }: ServerTls,
  onFault: (error: unknown) => void,
): { app: FastifyInstance; front: TlsFront } {
  const certificates = new WeakMap<object, readonly Uint8Array[]>();
  const certificatesOf = (connection: object): readonly Uint8Array[] => certificates.get(connection) ?? [];
  const app = createCallbackGateway({ ...options, certificatesOf, isBehindTls: true });
  const given = { tls: { cert, key }, protocols: ["http/1.1"], bounds: BOUNDS, certificates, onFault };
  return { app, front: new TlsFront(app, given) };
}
