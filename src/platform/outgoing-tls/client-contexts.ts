import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { CLIENT_TLS } from "../client-tls.ts";
import type { ClientIdentity } from "./messages.ts";

/** What Node's own object of a context has besides. */
interface NativeContext {
  addCACert(pem: string): void;
  getCertificate(): Buffer | null;
}

/** The contexts of TLS with the client certificates that accounts have. Each key is read once for all connections. */
export class ClientContexts {
  readonly #contexts = new Map<number, SecureContext>();
  #common: SecureContext | undefined;

  /** Without an id, the context without a client certificate. */
  get(id: number | undefined): SecureContext | undefined {
    return id === undefined ? (this.#common ??= createSecureContext(CLIENT_TLS)) : this.#contexts.get(id);
  }

  /** Returns when the certificate ends, in milliseconds since 1970. Throws if it, its key or `ca` is not readable. */
  add(id: number, identity: ClientIdentity | null, ca: string | null): number {
    const context = createSecureContext({ ...CLIENT_TLS, ...shown(identity) });
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
function shown(identity: ClientIdentity | null): SecureContextOptions {
  if (identity === null) return {};
  if ("pfx" in identity) return { pfx: Buffer.from(identity.pfx), passphrase: identity.passphrase };
  return { cert: identity.certificate, key: identity.privateKey };
}
