import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { CLIENT_TLS } from "../../platform/outside/client-tls.ts";
import type { ApiPixAccount, ClientIdentity } from "./account.ts";

/** The client certificate of an account. Its key is read once for all connections: deriving it from a passphrase takes long. */
export class ClientCertificate {
  /** Undefined: it, its key or the account's authorities cannot be read. */
  readonly secureContext: SecureContext | undefined;
  readonly #endsAt: Date | null;

  constructor({
    identity,
    ca,
    certificateEndsAt,
  }: Pick<ApiPixAccount, "identity" | "ca" | "certificateEndsAt">) {
    this.secureContext = contextOf(identity, ca);
    this.#endsAt = certificateEndsAt;
  }

  /** What is wrong with it. A server that refuses it often only closes the connection. */
  get failure(): "certificate_expired" | "certificate_unreadable" | undefined {
    if (!this.secureContext) return "certificate_unreadable";
    return this.#endsAt !== null && this.#endsAt.getTime() < Date.now() ? "certificate_expired" : undefined;
  }
}

function contextOf(identity: ClientIdentity, ca: string | null): SecureContext | undefined {
  try {
    return createSecureContext({
      ...CLIENT_TLS,
      ...("pfx" in identity ? identity : { cert: identity.certificate, key: identity.privateKey }),
      ...(ca === null ? {} : { ca: [...getCACertificates("default"), ca] }),
    });
  } catch {
    return undefined;
  }
}
