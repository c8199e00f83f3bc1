import { constants, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { ClientIdentity } from "./messages.ts";

/** What Node's own object of a context has besides. */
interface NativeContext {
  addCACert(pem: string): void;
  getCertificate(): Buffer | null;
}

// The server chooses the numbers of DHE, and OpenSSL computes with up to 10,000 bits. ECDHE and TLS 1.3 have curves of
// known sizes, and its certificates alone have numbers of its choice.
const OPTIONS: SecureContextOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE+AESGCM",
    "ECDHE+CHACHA20",
    "ECDHE+AES",
  ].join(":"),
  ecdhCurve: "X25519MLKEM768:X25519:P-256:P-384:P-521",
  // A server would begin handshakes without end.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** The contexts of TLS with the client certificates that accounts have. Each key is read once for all connections. */
export class ClientContexts {
  readonly #contexts = new Map<number, SecureContext>();
  #common: SecureContext | undefined;

  /** Without an id, the context without a client certificate. */
  get(id: number | undefined): SecureContext | undefined {
    return id === undefined ? (this.#common ??= createSecureContext(OPTIONS)) : this.#contexts.get(id);
  }

  /** Returns when the certificate ends, in milliseconds since 1970. Throws if it, its key or `ca` is not readable. */
  add(id: number, identity: ClientIdentity, ca: string | null): number {
    const context = createSecureContext({ ...OPTIONS, ...shown(identity) });
    const native = context.context as NativeContext;
    // The system's authorities stay those that all contexts share. The option `ca` would read some 265 anew, in 12 ms.
    if (ca !== null) native.addCACert(ca);
    this.#contexts.set(id, context);
    const own = native.getCertificate();
    return own ? new X509Certificate(own).validToDate.getTime() : Infinity;
  }

  delete(id: number): void {
    this.#contexts.delete(id);
  }
}

/** Returns an identity as TLS takes it. */
function shown(identity: ClientIdentity): SecureContextOptions {
  if ("pfx" in identity) return { pfx: Buffer.from(identity.pfx), passphrase: identity.passphrase };
  return { cert: identity.certificate, key: identity.privateKey };
}
