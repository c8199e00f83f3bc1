import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { ClientIdentity } from "./account.ts";

/** What Node's own object of a context has besides. */
interface NativeContext {
  addCACert(pem: string): void;
  getCertificate(): Buffer | null;
}

interface Made {
  readonly context: SecureContext;
  readonly endsMs: number;
}

/**
 * The client certificate of an account, as TLS takes it. Its key is read once, and all connections share it: deriving it
 * from a passphrase takes the time of all tenants.
 */
export class OwnCertificate {
  readonly #made: () => Made;

  constructor(identity: ClientIdentity, ca: string | null) {
    this.#made = once(() => make(identity, ca));
  }

  /** Throws the error of the first time if the certificate or its key is not readable. */
  get context(): SecureContext {
    return this.#made().context;
  }

  /** Throws as `context` does. */
  get isExpired(): boolean {
    return this.#made().endsMs < Date.now();
  }
}

function make(identity: ClientIdentity, ca: string | null): Made {
  const context = createSecureContext(shown(identity));
  const native = context.context as NativeContext;
  // The system's authorities stay those that all contexts share. The option `ca` would read some 265 anew, in 12 ms.
  if (ca !== null) native.addCACert(ca);
  const own = native.getCertificate();
  return { context, endsMs: own ? new X509Certificate(own).validToDate.getTime() : Infinity };
}

/** Returns an identity as TLS takes it. */
function shown(identity: ClientIdentity): SecureContextOptions {
  if ("pfx" in identity) return { pfx: identity.pfx, passphrase: identity.passphrase };
  return { cert: identity.certificate, key: identity.privateKey };
}

/** Returns a function that calls another once, and returns or throws what came of it. */
function once<Result>(call: () => Result): () => Result {
  let known: (() => Result) | undefined;
  return () => {
    if (!known) {
      try {
        const result = call();
        known = () => result;
      } catch (error) {
        known = () => {
          throw error;
        };
      }
    }
    return known();
  };
}
